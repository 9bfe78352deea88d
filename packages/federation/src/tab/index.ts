// The page on which a browser's tab becomes a site, as the coordinator's server gives it out.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PliantError } from "@pliant/core";
import { sendBody } from "../embedded/paced.js";

const home = fileURLToPath(new URL("../..", import.meta.url));
const source = join(home, "page");
const built = join(home, "dist", "tab");

/** Files by their paths. */
type Files = ReadonlyMap<string, string | Uint8Array>;

/** Built from its source where that is, which takes a second; else as it came with the package. */
async function tabFiles(): Promise<Files> {
  if (!existsSync(source)) {
    if (!existsSync(built))
      throw new PliantError(
        "The page for tabs is missing from this installation; install @pliant/federation again.",
      );
    const names = readdirSync(built, { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => statSync(join(built, name)).isFile());
    return new Map(files.map((name) => [name.replaceAll("\\", "/"), readFileSync(join(built, name))]));
  }
  const made = await buildTab(false);
  return new Map(made.map((file) => [file.fileName, file.type === "asset" ? file.source : file.code]));
}

/** Into the package's folder, or only to memory. */
export async function buildTab(write: boolean) {
  const { build } = await import("vite");
  const made = await build({
    configFile: join(source, "vite.config.ts"),
    root: source,
    logLevel: "error",
    build: { outDir: built, emptyOutDir: true, write },
  });
  if (!("output" in made)) throw new Error("The page for tabs is one build.");
  return made.output;
}

const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Nothing of the page goes anywhere but to the server it came from. */
const policy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface TabPage {
  /** Whether the path is one of the page's; it is answered then. */
  answer(path: string, response: ServerResponse): Promise<boolean>;
}

/** Read, or built, when a tab first asks for it. */
export function tabPage(): TabPage {
  let files: Promise<Files> | undefined;
  return {
    answer: async (path, response) => {
      if (path !== "/" && !/^\/assets\/[\w.-]+$/.test(path)) return false;
      files ??= tabFiles();
      const name = path === "/" ? "index.html" : path.slice(1);
      const body = (await files).get(name);
      if (body === undefined) return false;
      response.writeHead(200, {
        "content-type": types[name.split(".").at(-1)!] ?? "application/octet-stream",
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
      await sendBody(response, Buffer.from(body));
      return true;
    },
  };
}
