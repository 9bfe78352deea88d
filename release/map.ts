// npm run map: draws the packages in CONTRIBUTING.md from what they import.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drawn } from "./layers.js";
import { root } from "./staging.js";

const file = join(root, "CONTRIBUTING.md");
const text = await readFile(file, "utf8");
await writeFile(file, text.replace(/(<!-- the map.*-->\n)[\s\S]*(<!-- end)/, `$1${drawn(root)}$2`));
