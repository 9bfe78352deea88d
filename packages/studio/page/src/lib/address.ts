// What an address says: the part after the hash, such as #/run/lab%2Fa or #/compare?run=a&run=b.

export interface Route {
  readonly page: string;
  /** What follows the page's name: a run. */
  readonly name: string;
  readonly query: URLSearchParams;
}

export function routeFrom(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page, ...rest] = path.split("/");
  return { page: page || "runs", name: decoded(rest.join("/")), query: new URLSearchParams(query) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
