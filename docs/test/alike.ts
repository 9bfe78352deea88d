// Whether a command printed what a page says it prints: the same words, and anything where the page has "…". Numbers with a point may
// end differently on another processor: one row more or less on one side of a threshold, or a certificate that holds a step earlier, is
// a twentieth of a rate at most, or two of its last digit. Whole numbers are counts, and the same. Where pages are written they are held
// to every digit: PLIANT_PAGES=exact.

const number = /-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?/g;
const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function near(shown: string, printed: string): boolean {
  const [a, b] = [shown, printed].map((text) => Number(text.replaceAll(",", "")));
  const digits = /\.(\d+)/.exec(shown)?.[1].length;
  if (digits === undefined) return a === b;
  return Math.abs(a - b) <= Math.max(2 * 10 ** -digits, Math.abs(a) / 20);
}

/** Spaces and lines drawn are as wide as the numbers in their columns. */
const words = (text: string): string =>
  literally(text).replace(/(?:[\s─]|-(?!\w))+/g, "(?:[\\s─]|-(?!\\w))+");

function sameLine(shown: string, printed: string, exact: boolean): boolean {
  const line = shown.trimEnd();
  if (exact) return new RegExp(`^${line.split("…").map(literally).join(".*")}$`, "u").test(printed.trimEnd());
  const numbers: string[] = [];
  let pattern = "";
  let from = 0;
  for (const { 0: found, index } of line.matchAll(number)) {
    // One whose end is left open is a beginning, digit by digit.
    if (line[index + found.length] === "…") continue;
    pattern += `${words(line.slice(from, index))}(${number.source})`;
    numbers.push(found);
    from = index + found.length;
  }
  pattern += words(line.slice(from));
  const there = new RegExp(`^${pattern.replaceAll("…", ".*")}$`, "u").exec(printed.trimEnd());
  return there !== null && numbers.every((each, i) => near(each, there[i + 1]));
}

/** The first line of the page that was not printed, or nothing. A line of "…" is any number of lines. */
export function missingLine(
  shown: string,
  printed: string,
  exact = process.env.PLIANT_PAGES === "exact",
): string | undefined {
  const lines = printed.trimEnd().split("\n");
  let at = 0;
  let anywhere = false;
  for (const line of shown.trimEnd().split("\n")) {
    if (line.trim() === "…") {
      anywhere = true;
      continue;
    }
    const found = lines.findIndex((each, i) => i >= at && sameLine(line, each, exact));
    if (found < 0 || (!anywhere && found !== at)) return line;
    at = found + 1;
    anywhere = false;
  }
  return anywhere || at >= lines.length ? undefined : `(the end; printed is also: ${lines[at]})`;
}
