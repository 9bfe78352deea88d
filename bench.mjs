// npm run bench -- NAME [options]: runs one benchmark.
import { existsSync } from "node:fs";

const [name, ...rest] = process.argv.slice(2);
/** Where each benchmark lives: a package, and a folder where that has several. */
const folders = {
  engine: ["engine"],
  solver: ["core"],
  answers: ["core", "answers"],
  truth: ["cli", "truth"],
  fairness: ["cli", "fairness"],
  decisions: ["cli", "decisions"],
  kills: ["cli", "kills"],
  neighbours: ["cli", "neighbours"],
  migrating: ["cli", "migrating"],
  tables: ["cli", "tables"],
  invariance: ["lab"],
  federated: ["federated"],
  federation: ["federation"],
  studio: ["studio"],
};
/** And those that lie elsewhere. */
const others = { try: "docs/dist/bench-try.js" };
const [home, ...room] = folders[name] ?? [];
const path = others[name] ?? `packages/${[home, "bench/dist", ...room].join("/")}/main.js`;
const main = new URL(path, import.meta.url);
if (!(name in { ...folders, ...others }) || !existsSync(main)) {
  console.error(
    `Which benchmark? npm run bench -- ${Object.keys({ ...folders, ...others }).join(" | ")} [options]`,
  );
  process.exit(2);
}
process.argv.splice(2, process.argv.length, ...rest);
await import(main.href);
