// Compiles the TypeScript of all pages as a strict project would, against the sources.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { root } from "../src/place.js";

export interface Program {
  readonly name: string;
  readonly code: string;
}

/** One sentence for each mistake. Only the programs themselves are looked at; the sources are checked elsewhere. */
export function mistakes(programs: readonly Program[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const files = programs.map(({ name, code }) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    // Every block is a module of its own.
    writeFileSync(file, `${code}\nexport {};\n`);
    return file;
  });
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ["pliant-source"],
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  });
  return files.flatMap((file, i) => {
    const source = program.getSourceFile(file)!;
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start }) => {
      const line = source.getLineAndCharacterOfPosition(start ?? 0).line + 1;
      return `${programs[i].name}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}
