// How much of a GPU's memory a process takes. XLA by itself takes three quarters at once, so that a second process finds none;
// here memory is taken as it is needed, unless PLIANT_GPU_MEMORY says which share to take at once and never to exceed.
import { EngineError } from "../errors.js";
import type { ClientOptions } from "./pjrt.js";

export type MemoryOptions = Pick<ClientOptions, "memoryFraction" | "preallocate">;

/** The options given, those not given by what the environment asks for. */
export function memoryAsked(
  { memoryFraction, preallocate }: MemoryOptions,
  env: NodeJS.ProcessEnv = process.env,
): MemoryOptions {
  const share = memoryFraction ?? shareOf(env.PLIANT_GPU_MEMORY);
  return { memoryFraction: share, preallocate: preallocate ?? share !== undefined };
}

function shareOf(text = ""): number | undefined {
  const said = text.trim();
  if (said === "") return undefined;
  const share = said.endsWith("%") ? Number(said.slice(0, -1)) / 100 : Number(said);
  if (share > 0 && share <= 1) return share;
  throw new EngineError(
    `PLIANT_GPU_MEMORY is "${text}"; it is the share of a GPU's memory that this process takes, as 0.25 or 25%, above 0 and at most 1.`,
  );
}
