// Options that several commands read alike.

import { InputError } from "@pliant/core";
import { type Device, devices, precisions } from "@pliant/engine/device";
import type { Precision } from "@pliant/learn/runs";

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

export function readPrecision(text: string): Precision {
  if (!precisions.includes(text as Precision))
    throw new InputError(`--precision is one of ${precisions.join(", ")}, not ${text}.`);
  return text as Precision;
}
