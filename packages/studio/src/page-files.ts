// The page's own files: those that lie in its folder, looked up in a list of them and never by a path from outside.
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

async function listed(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [`/${relative(folder, file).split(sep).join("/")}`, file]));
}

/** Answers with a file of the page; undefined where there is none of that name. */
export function pageFiles(folder: string): (path: string) => Promise<Response | undefined> {
  let files = listed(folder);
  return async (path) => {
    const name = path === "/" ? "/index.html" : path;
    // A page that was built again has other files.
    if (!(await files).has(name)) files = listed(folder);
    const file = (await files).get(name);
    const bytes = file && (await readFile(file).catch(() => undefined));
    if (!bytes) return undefined;
    return new Response(new Uint8Array(bytes), {
      headers: {
        "content-type": types[extname(file)] ?? "application/octet-stream",
        // Names under assets change with their content.
        "cache-control": name.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache",
      },
    });
  };
}
