// The site, built once for all tests of it, and the pages it has.
import { join } from "node:path";
import { once } from "../../packages/cli/test/fixtures/once.js";
import { buildSite } from "../src/build.js";
import { readSections } from "../src/page.js";

/** Its folder, within one that is put in place when it is whole. */
export const builtSite = async (): Promise<string> =>
  join(await once("site", async (folder) => void (await buildSite(join(folder, "site")))), "site");

export const pages = readSections().flatMap((section) => section.pages);
