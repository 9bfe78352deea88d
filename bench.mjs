// npm run bench -- NAME [options]: runs the benchmark of one package.
import { existsSync } from "node:fs";

const [name, ...rest] = process.argv.slice(2);
const names = ["engine"];
const main = new URL(`./packages/${name}/bench/dist/main.js`, import.meta.url);
if (!names.includes(name) || !existsSync(main)) {
  console.error(`Which benchmark? npm run bench -- ${names.join(" | ")} [options]`);
  process.exit(2);
}
process.argv.splice(2, process.argv.length, ...rest);
await import(main.href);
