// Where things are in the checkout.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of pages, whether this runs from src or from dist. */
export const home = join(dirname(fileURLToPath(import.meta.url)), "..");
export const root = join(home, "..");
