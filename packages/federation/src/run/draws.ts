// Numbers for a site's noise that nobody else can foresee, the same whenever the same is asked of the same data: a site that was
// killed and is asked again says the same again, and tells nothing new.
import { type ClientState, type Draw, drawFrom, type Pool } from "@pliant/federated";
import { encodePlain } from "../ports/plain.js";
import { keystream } from "../primitives.js";
import type { Identity } from "../protocol/index.js";
import { digest } from "../sums/index.js";

/** Numbers for noise, and the name that all go by that are the same. */
export interface NamedDraw {
  /** Of all that the numbers are used on: what was shown, what the site is, and its data. */
  readonly name: string;
  readonly draw: Draw;
}

/** For one site and its data. */
export function namedDraws(
  run: string,
  identity: Identity,
  { x, y }: Pool,
): (shown: string, state: ClientState) => NamedDraw {
  const data = digest(encodePlain([x, y]));
  return (shown, state) => {
    const name = digest(JSON.stringify([run, shown, data, encodePlain(state)]));
    return { name, draw: drawsUnder(identity.secretFor(`noise ${name}`)) };
  };
}

function drawsUnder(key: Buffer): Draw {
  const stream = keystream(key, 0);
  let words = new Uint32Array();
  let next = 0;
  return drawFrom(() => {
    if (next === words.length) [words, next] = [new Uint32Array(stream(1 << 12)), 0];
    return words[next++];
  });
}
