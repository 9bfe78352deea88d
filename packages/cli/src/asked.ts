// What every run notes about itself, and the options that several commands read alike.
import type { Backend } from "@pliant/engine";
import { type Device, devices } from "@pliant/engine/device";
import { type Circumstances, circumstances } from "@pliant/learn/runs";
import { InputError } from "pliant";

/** What was asked of a run: with it and the checkpoint, the run goes on to the same numbers. */
export interface Asked extends Circumstances {
  readonly seed: number;
}

export const asking = (seed: number, backend: Backend): Asked => ({ seed, ...circumstances(backend) });

export function readSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0 || text.trim() === "")
    throw new InputError(`--seed is a whole number of at least 0, not ${text}.`);
  return seed;
}

export function readDevice(text: string): Device {
  if (!devices.includes(text as Device))
    throw new InputError(`--device is one of ${devices.join(", ")}, not ${text}.`);
  return text as Device;
}
