// Questions to the server. What a page shows first is asked for as soon as its address is known, while its script is still made ready.
import type { Published } from "../../../src/api.js";
import { type Route, routeFrom } from "./address.js";

/** A page that was published has its runs with it. */
export const published = (globalThis as { pliantPublished?: Published }).pliantPublished;

/** Other tabs of this server have it too; of no other server, as storage knows ports. */
const tokenKey = "pliant-page";
const beforeKey = "pliant-page-before";

/** Takes the token out of the address that pliant studio printed, so that no bookmark or shared link has it. */
export function keepPageToken(): void {
  const [path, text = ""] = location.hash.split("?", 2);
  const query = new URLSearchParams(text);
  const token = query.get("page");
  if (token === null) return;
  // A link from anywhere may have a wrong one: the last that was given before is kept beside it.
  if (token !== pageToken()) localStorage.setItem(beforeKey, pageToken());
  localStorage.setItem(tokenKey, token);
  query.delete("page");
  history.replaceState(null, "", `${path}${query.size > 0 ? `?${query}` : ""}`);
}

export const pageToken = (): string => localStorage.getItem(tokenKey) ?? "";

/** Asks as a page that was opened from the printed address: by its token, or where that is refused by the one before. */
export async function askAsPage(at: string, options: RequestInit = {}): Promise<Response> {
  const by = (token: string) =>
    fetch(at, { ...options, headers: { ...options.headers, "x-pliant-page": token } });
  const answer = await by(pageToken());
  const before = localStorage.getItem(beforeKey);
  if (answer.status !== 403 || !before) return answer;
  const again = await by(before);
  if (again.status === 403) return answer;
  localStorage.setItem(tokenKey, before);
  localStorage.removeItem(beforeKey);
  return again;
}

export type Query = Record<string, string> | string[][];

export const address = (path: string, query: Query): string => `/api/${path}?${new URLSearchParams(query)}`;

export const runsAddress = address("runs", {});
export const studyAddress = (id: string): string => address("study", { of: id });
export const modelAddress = (name: string): string => address("model", { name });
export const runAddress = (name: string): string => address("run", { name });
/** A glimpse of a long run comes sooner than the whole. */
export const seriesAddress = (
  name: string,
  { glimpse = false, only = [] }: { glimpse?: boolean; only?: readonly string[] } = {},
): string =>
  address("series", [
    ["name", name],
    ...(glimpse ? [["glimpse", ""]] : []),
    ...only.map((requirement) => ["requirement", requirement]),
  ]);

/** Runs told of in one answer: an address has an end. */
const most = 10;
export const firstAddresses = (names: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(names.length / most) }, (_, i) =>
    address(
      "first",
      names.slice(i * most, (i + 1) * most).map((name) => ["name", name]),
    ),
  );

const ofRun = (name: string, only: readonly string[] = []): string[] => [
  runAddress(name),
  seriesAddress(name, { glimpse: true, only }),
];
/** By page, what it asks for first. */
const first: Record<string, (route: Route) => string[]> = {
  runs: () => [runsAddress],
  run: ({ name, query }) => [
    ...ofRun(name, query.getAll("requirement").slice(0, 1)),
    ...(query.get("tab") === "model" ? [modelAddress(name)] : []),
  ],
  // A sweep is found in the list, and its runs then.
  compare: ({ query }) => {
    const runs = [...new Set(query.getAll("run"))];
    return [...(runs.length === 0 || query.has("sweep") ? [runsAddress] : []), ...firstAddresses(runs)];
  },
  study: ({ name }) => [studyAddress(name)],
  federation: ({ name }) => [runsAddress, ...(name ? ofRun(name) : [])],
};

const begun = new Map<string, Promise<Response>>();

export function askAhead(hash: string): void {
  const route = routeFrom(hash);
  if (published || !Object.hasOwn(first, route.page)) return;
  for (const at of first[route.page](route)) {
    const answer = fetch(at);
    // Whoever takes the answer hears of a failure.
    answer.catch(() => {});
    begun.set(at, answer);
  }
  addEventListener("hashchange", () => begun.clear(), { once: true });
}

/** An answer that was asked for ahead is taken once: whoever asks again wants to know how it is now. */
export function ask(at: string): Promise<Response> {
  const answer = begun.get(at) ?? fetch(at);
  begun.delete(at);
  return answer;
}
