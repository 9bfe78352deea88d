// Colours on terminals: none in pipes or files, nor with NO_COLOR or TERM=dumb.

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

type Colour = keyof typeof codes;

/** The properties of a stream that decide about colours. */
type Target = Pick<NodeJS.WriteStream, "isTTY">;

export function hasColours({ isTTY }: Target, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTTY === true && env.TERM !== "dumb";
}

export function paint(colour: Colour, text: string, stream: Target = process.stdout): string {
  if (!hasColours(stream)) return text;
  const [on, off] = codes[colour];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}

/** Colours the verdict of a report: violated red, not certified yellow, certified green. */
export const paintReport = (text: string, stream: Target = process.stdout): string =>
  text
    .split("\n")
    .map((line) => {
      if (/^Violated\b/.test(line)) return paint("red", line, stream);
      if (/^(Likely infeasible|Not certified|Stalled|Diverged)\b/.test(line))
        return paint("yellow", line, stream);
      return /^Certified\b/.test(line) ? paint("green", line, stream) : line;
    })
    .join("\n");
