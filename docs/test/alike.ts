// Whether a command printed what a page says it prints: the same text, every digit of it, and anything where the page has "…". A page
// leaves open what is another time or another machine's: times, sizes, paths, and the last digits of what is computed where they vary.

function sameLine(shown: string, printed: string): boolean {
  const parts = shown.trimEnd().split("…");
  if (parts.length === 1) return shown.trimEnd() === printed.trimEnd();
  const literally = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literally.join(".*")}$`, "u").test(printed.trimEnd());
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
