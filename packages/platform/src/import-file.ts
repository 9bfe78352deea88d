// Imports a user's file: JavaScript directly, and TypeScript too if Node can read it. Otherwise tsx, esbuild or TypeScript
// before version 7, installed beside the file, compiles it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { NotHere, type Platform } from "./platform.js";

/** The exports of a file of JavaScript or TypeScript; of none where the environment says that what is read came from others. */
export const importFile: Platform["importFile"] = async (path, version) => {
  if (process.env.PLIANT_GIVEN)
    throw new NotHere(
      `${path} is code, which is not run for a run that may have come from others; ask in a terminal, if you trust it.`,
    );
  const load = (file: string) =>
    import(/* @vite-ignore */ `${pathToFileURL(file).href}?${version.slice(0, 12)}`);
  const isTypeScript = /\.[cm]?ts$/.test(path);
  const readsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript);
  if (!isTypeScript || readsTypeScript) return await load(path);
  // Beside the file, so that its own imports resolve.
  const there = join(dirname(path), `.${basename(path)}.${process.pid}.mjs`);
  try {
    writeFileSync(there, asJavaScript(path));
    return await load(there);
  } finally {
    rmSync(there, { force: true });
  }
};

interface Esbuild {
  transformSync(text: string, options: object): { readonly code: string };
}

/** Version 7 has no such API. */
interface TypeScript {
  readonly ModuleKind?: { readonly ESNext: number };
  readonly ScriptTarget: { readonly ES2022: number };
  transpileModule(text: string, options: object): { readonly outputText: string };
}

/** Uses the compiler of the file's project, or of the current folder. */
function asJavaScript(path: string): string {
  const text = readFileSync(path, "utf8");
  for (const from of [path, join(process.cwd(), "package.json")]) {
    const esbuild = beside<Esbuild>(from, "esbuild") ?? beside<Esbuild>(resolvedFrom(from, "tsx"), "esbuild");
    if (esbuild)
      return esbuild.transformSync(text, { loader: "ts", format: "esm", target: "es2022", sourcefile: path })
        .code;
    const typescript = beside<TypeScript>(from, "typescript");
    if (typescript?.ModuleKind) {
      const { ModuleKind, ScriptTarget, transpileModule } = typescript;
      const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
      return transpileModule(text, { compilerOptions, fileName: path }).outputText;
    }
  }
  throw new NotHere(
    `Node ${process.versions.node} does not read TypeScript by itself; run npm install --save-dev tsx beside it, take Node 22.18 or later, or write it as JavaScript (.mjs).`,
  );
}

function beside<M>(from: string | undefined, name: string): M | undefined {
  try {
    return from === undefined ? undefined : (createRequire(from)(name) as M);
  } catch {
    return undefined;
  }
}

function resolvedFrom(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
