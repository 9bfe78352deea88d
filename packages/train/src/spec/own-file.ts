// What a file of one's own exports as its default. Files of JavaScript are imported as they are. TypeScript is too where Node reads it; else
// tsx, esbuild or a typescript before 7 that is installed beside the file turns it into JavaScript.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "@pliant/core";
import { digest } from "../data/files.js";

/** What a file of one's own exports by default, and the checksum of its text. */
export interface OwnFile {
  readonly own: unknown;
  readonly sha256: string;
}

/** `wrong` makes a mistake of a sentence. */
export async function ownFile(
  path: string,
  wrong: (sentence: string) => InputError = (sentence) => new InputError(sentence),
): Promise<OwnFile> {
  if (!existsSync(path)) throw wrong(`there is no file ${path}.`);
  const sha256 = await digest(path);
  return { own: (await imported(path, sha256, wrong)).default, sha256 };
}

type Module = { readonly default?: unknown };

async function imported(
  path: string,
  sha256: string,
  wrong: (sentence: string) => InputError,
): Promise<Module> {
  // A file that changed is another module.
  const load = (file: string): Promise<Module> =>
    import(/* @vite-ignore */ `${pathToFileURL(file).href}?${sha256.slice(0, 12)}`);
  const isTypeScript = /\.[cm]?ts$/.test(path);
  const readsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript);
  try {
    if (!isTypeScript || readsTypeScript) return await load(path);
    // Beside the file, so that what it imports is found from there.
    const there = join(dirname(path), `.${basename(path)}.${process.pid}.mjs`);
    try {
      writeFileSync(there, asJavaScript(path, wrong));
      return await load(there);
    } finally {
      rmSync(there, { force: true });
    }
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    throw wrong(`${path} cannot be used: ${(reason as Error).message.split("\n")[0]}`);
  }
}

interface Esbuild {
  transformSync(text: string, options: object): { readonly code: string };
}

/** Before 7, which has no such interface. */
interface TypeScript {
  readonly ModuleKind?: { readonly ESNext: number };
  readonly ScriptTarget: { readonly ES2022: number };
  transpileModule(text: string, options: object): { readonly outputText: string };
}

/** By what the person's own project has, else that where `pliant` is run. */
function asJavaScript(path: string, wrong: (sentence: string) => InputError): string {
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
  throw wrong(
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
