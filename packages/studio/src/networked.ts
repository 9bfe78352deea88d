// A federation between machines, as its coordinator or one of its sites leaves it in federation.json.
import { join } from "node:path";
import { textOf } from "./files.js";
import { refuse } from "./places.js";

/** With thousands of sites it is long, and never longer. */
const longest = 16 << 20;

export async function networkedIn(folder: string): Promise<object> {
  const text = await textOf(join(folder, "federation.json"), longest);
  try {
    const told: unknown = JSON.parse(text ?? "");
    if (typeof told === "object" && told !== null && "role" in told) return told;
  } catch {}
  throw refuse(404, "The run is no federation between machines.");
}
