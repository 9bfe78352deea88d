// The public surface: every name that pliant and its subpaths export. A change is accepted with: npx vitest run docs/test/api.test.ts -u
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "../src/place.js";

const cli = join(root, "packages/cli");
const { exports } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8")) as {
  exports: Record<string, { "pliant-source"?: string }>;
};
const entries = Object.entries(exports).map(([path, conditions]) => ({
  name: `pliant${path.slice(1)}`,
  file: join(cli, conditions["pliant-source"]!),
}));

/** `value name` or `type name`, in order. */
function namesOf(checker: ts.TypeChecker, source: ts.SourceFile): string[] {
  const module = checker.getSymbolAtLocation(source);
  return (module ? checker.getExportsOfModule(module) : [])
    .map((symbol) => {
      const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return `${own.flags & ts.SymbolFlags.Value ? "value" : "type "} ${symbol.name}`;
    })
    .sort((a, b) => a.slice(6).localeCompare(b.slice(6), "en"));
}

test("exports what api.txt lists, and nothing else", async () => {
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      customConditions: ["pliant-source"],
      types: [],
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  const lists = entries.map(({ name, file }) => {
    const names = namesOf(checker, program.getSourceFile(file)!);
    expect(names.length, name).toBeGreaterThan(0);
    return `${name} (${names.length})\n${names.map((each) => `  ${each}`).join("\n")}\n`;
  });
  await expect(lists.join("\n")).toMatchFileSnapshot("api.txt");
});
