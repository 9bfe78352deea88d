// Whether a command printed what a page says it prints: the same words, numbers to what another processor's rounding may
// change in a printed digit, and anything where the page has "…".

const number = /-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?/g;

/**
 * Whole numbers are counts, and the same. Others may end differently on another processor: one row more or less on one side of a
 * threshold, or a certificate that holds a step earlier, is a twentieth of a rate at most, or two of its last digit.
 */
function near(shown: string, printed: string): boolean {
  const [a, b] = [shown, printed].map((text) => Number(text.replaceAll(",", "")));
  const digits = /\.(\d+)/.exec(shown)?.[1].length;
  if (digits === undefined) return a === b;
  return Math.abs(a - b) <= Math.max(2 * 10 ** -digits, Math.abs(a) / 20);
}

function sameLine(shown: string, printed: string): boolean {
  const [head, ...tail] = shown.split("…");
  if (tail.length > 0) {
    // The words before, between and after, in order.
    let rest = printed;
    for (const part of [head, ...tail].map((each) => each.trim()).filter(Boolean)) {
      const at = rest.indexOf(part);
      if (at < 0) return false;
      rest = rest.slice(at + part.length);
    }
    return true;
  }
  const words = (line: string): string =>
    line
      .replace(number, "#")
      .replace(/[\s─-]+/g, " ")
      .trim();
  const [a, b] = [shown.match(number) ?? [], printed.match(number) ?? []];
  return words(shown) === words(printed) && a.length === b.length && a.every((each, i) => near(each, b[i]));
}

/** The first line of the page that was not printed, or nothing. A line of "…" is any number of lines. */
export function missingLine(shown: string, printed: string): string | undefined {
  const lines = printed.trimEnd().split("\n");
  let at = 0;
  let anywhere = false;
  for (const line of shown.trimEnd().split("\n")) {
    if (line.trim() === "…") {
      anywhere = true;
      continue;
    }
    const found = lines.findIndex((each, i) => i >= at && sameLine(line, each));
    if (found < 0 || (!anywhere && found !== at)) return line;
    at = found + 1;
    anywhere = false;
  }
  return anywhere || at >= lines.length ? undefined : `(the end; printed is also: ${lines[at]})`;
}
