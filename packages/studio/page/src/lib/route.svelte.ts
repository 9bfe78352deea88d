// Where the reader is, and how to get elsewhere.
import { routeFrom } from "./address.js";

let current = $state.raw(routeFrom(location.hash));
addEventListener("hashchange", () => {
  current = routeFrom(location.hash);
});

function write(query: URLSearchParams): void {
  const [path] = location.hash.split("?", 1);
  const text = query.toString();
  history.replaceState(null, "", `${path || `#/${current.page}`}${text ? `?${text}` : ""}`);
  current = { ...current, query };
}

export const route = {
  get current() {
    return current;
  },
  /** Writes settings of the page into its address, where Back and a bookmark find them; empty ones are left out. */
  set(settings: Readonly<Record<string, string>>) {
    const query = new URLSearchParams(current.query);
    for (const [name, value] of Object.entries(settings)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    write(query);
  },
  /** A setting that has several values. */
  setList(name: string, values: readonly string[]) {
    const query = new URLSearchParams(current.query);
    query.delete(name);
    for (const value of values) query.append(name, value);
    write(query);
  },
};

export const links = {
  runs: "#/runs",
  playground: "#/playground",
  run: (name: string) => `#/run/${encodeURIComponent(name)}`,
  study: (id: string) => `#/study/${encodeURIComponent(id)}`,
  federation: (name?: string) => (name ? `#/federation/${encodeURIComponent(name)}` : "#/federation"),
  compare: (names: readonly string[] = []) =>
    names.length > 0 ? `#/compare?${new URLSearchParams(names.map((name) => ["run", name]))}` : "#/compare",
  sweep: (group: string) => `#/compare?${new URLSearchParams({ sweep: group })}`,
};
