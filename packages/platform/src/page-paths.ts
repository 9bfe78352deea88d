// Paths in a page: parts between slashes, below one root.
import type { Paths } from "./platform.js";

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !path.startsWith("/")) parts.push(part);
  }
  const inside = parts.join("/");
  return path.startsWith("/") ? `/${inside}` : inside || ".";
}

export const join: Paths["join"] = (...parts) => normal(parts.filter((part) => part !== "").join("/"));

/** Resolves against the root, the working directory of a page. */
export const resolve: Paths["resolve"] = (...parts) => {
  let path = "";
  for (const part of parts) path = part.startsWith("/") ? part : `${path}/${part}`;
  return normal(`/${path}`);
};

export const basename: Paths["basename"] = (path) => path.replace(/\/+$/, "").split("/").at(-1) ?? "";

export const dirname: Paths["dirname"] = (path) => {
  const [, above = ""] = /^(.*?)\/+[^/]*\/*$/.exec(path) ?? [];
  return above || (path.startsWith("/") ? "/" : ".");
};

export const relative: Paths["relative"] = (from, to) => {
  const [a, b] = [from, to].map((path) => resolve(path).split("/").filter(Boolean));
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
};
