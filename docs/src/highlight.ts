// Colours of code, for light and dark paper at once.
import {
  bundledLanguages,
  bundledThemes,
  codeToTokensWithThemes,
  createOnigurumaEngine,
  createShikiInternal,
  loadBuiltinWasm,
} from "@gerrit0/mini-shiki";
import { escaped } from "./escaped.js";

const languages = ["typescript", "shellscript", "yaml", "json", "python"] as const;
const names: Readonly<Record<string, (typeof languages)[number]>> = {
  ts: "typescript",
  js: "typescript",
  sh: "shellscript",
  yaml: "yaml",
  json: "json",
  python: "python",
};
const themes = { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } as const;

export type Highlight = (code: string, language: string) => string;

export async function openHighlighter(): Promise<Highlight> {
  await loadBuiltinWasm();
  const shiki = await createShikiInternal({
    engine: await createOnigurumaEngine(),
    langs: languages.map((name) => bundledLanguages[name]),
    themes: Object.values(themes).map((name) => bundledThemes[name]),
  });
  return (code, language) => {
    const lang = names[language];
    if (!lang) return escaped(code);
    return codeToTokensWithThemes(shiki, code, { lang, themes })
      .map((line) =>
        line
          .map(({ content, variants: { light, dark } }) =>
            content.trim()
              ? `<span style="color:light-dark(${light.color},${dark.color})">${escaped(content)}</span>`
              : content,
          )
          .join(""),
      )
      .join("\n");
  };
}
