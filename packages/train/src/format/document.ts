// A document of a few kinds of blocks, as Markdown and as a page of HTML that needs nothing else.

/** A part of a document that is written as Markdown or HTML. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  /** The first row is the head. */
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] };

/** Signs that Markdown would take for its own. */
const plain = (text: string): string => text.replace(/[\\`*_<>|[\]]/g, "\\$&");

/** Blocks as Markdown. */
export function markdown(blocks: readonly Block[]): string {
  const of = (block: Block): string => {
    switch (block.kind) {
      case "heading":
        return `${"#".repeat(block.level)} ${plain(block.text)}`;
      case "paragraph":
        return plain(block.text);
      case "list":
        return block.items.map((item) => `- ${plain(item)}`).join("\n");
      case "table": {
        const [head, ...rows] = block.rows.map((row) => `| ${row.map(plain).join(" | ")} |`);
        return [head, `|${block.rows[0].map(() => " --- ").join("|")}|`, ...rows].join("\n");
      }
    }
  };
  return `${blocks.map(of).join("\n\n")}\n`;
}

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => signs[sign]);

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}" +
  "table{border-collapse:collapse;margin:1rem 0}th,td{border-bottom:1px solid #ccc;padding:.3rem .8rem;text-align:left;vertical-align:top}" +
  "h2{margin-top:2rem}";

/** Blocks as one HTML page that needs nothing else. */
export function html(blocks: readonly Block[], title: string): string {
  const cells = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  const of = (block: Block): string => {
    switch (block.kind) {
      case "heading":
        return `<h${block.level}>${escaped(block.text)}</h${block.level}>`;
      case "paragraph":
        return `<p>${escaped(block.text)}</p>`;
      case "list":
        return `<ul>${block.items.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`;
      case "table":
        return `<table><thead>${cells(block.rows[0], "th")}</thead><tbody>${block.rows
          .slice(1)
          .map((row) => cells(row, "td"))
          .join("")}</tbody></table>`;
    }
  };
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${style}</style></head><body>`,
    ...blocks.map(of),
    "</body></html>\n",
  ].join("\n");
}
