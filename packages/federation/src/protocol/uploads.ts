// What a site uploads: its summand in fixed point under masks, or, where sums are taken in the open, its floats.

import { InputError, PliantError } from "@pliant/core";
import {
  fitted,
  fractionBits,
  fromWhole,
  fromWords,
  largestNumber,
  toWhole,
  toWords,
} from "@pliant/federated";
import type { Summand } from "../sums/index.js";

/** What a site gives to a sum. */
export interface Given {
  /** Of the update, one after another; none where only numbers are summed. */
  readonly values: Float64Array;
  readonly numbers: readonly number[];
}

/**
 * Before the numbers that ride along: a 1, which shows that the masks are gone, and a 1 of an update scaled to the bound. After
 * them, a 1 for each part but the first.
 */
export function toSummand(given: Given, bound: number, clients: number, parts = 1): Summand {
  const { values, numbers } = sendable(given, clients);
  const fit = fitted(values, bound);
  const { words } = toWords(fit.values, fractionBits(clients, bound), clients);
  const checks = Array<bigint>(parts - 1).fill(1n);
  const scaled = BigInt(fit.scaled || !isAllFinite(given));
  const whole = [1n, scaled, ...numbers.map((value) => toWhole(value, clients)), ...checks];
  return { words, numbers: BigInt64Array.from(whole) };
}

/**
 * An update with values that are not finite counts as zeros, and a number beyond what so many clients can sum as the largest that
 * they can. A refusal would tell a coordinator that chose the model something of this site's rows alone.
 */
export function sendable({ values, numbers }: Given, clients: number): Given {
  const most = largestNumber(clients);
  return {
    values: areFinite(values) ? values : new Float64Array(values.length),
    numbers: numbers.map((value) => (Number.isNaN(value) ? 0 : Math.max(-most, Math.min(most, value)))),
  };
}

/** Whether all of it is finite. */
export const isAllFinite = ({ values, numbers }: Given): boolean => areFinite(values) && areFinite(numbers);

/** By one sum, which is faster than `every` on long vectors: 0 times a number is 0, unless it is not finite. */
function areFinite(values: ArrayLike<number>): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += 0 * values[i];
  return sum === 0;
}

/** What a sum is made of has one shape; an upload of another is named. */
export function checkShape(like: Given | Summand, one: Given | Summand, site: string): void {
  const sizes = (of: Given | Summand) => [("values" in of ? of.values : of.words).length, of.numbers.length];
  if (String(sizes(like)) !== String(sizes(one)))
    throw new PliantError(`The upload of ${site} has another shape than the others'.`);
}

/** What a sum came to. */
export interface SumOf {
  readonly values: Float64Array;
  /** Averages of the numbers. */
  readonly means: readonly number[];
  /** Updates that were scaled down to the bound, or not finite. */
  readonly scaled: number;
}

/** Throws where so many honest sites cannot have this sum, or part of one. */
export function checkSum(
  { words, numbers }: Summand,
  survivors: number,
  bound: number,
  clients: number,
): void {
  if (numbers[0] !== BigInt(survivors))
    throw new PliantError(
      "The masks do not cancel: a site was told something else, uploaded garbage, or revealed something else.",
    );
  if (numbers.length > 1 && (numbers[1] < 0n || numbers[1] > BigInt(survivors)))
    throw new PliantError(`${numbers[1]} of ${survivors} updates were scaled down: a site uploaded garbage.`);
  const largest = survivors * Math.ceil(bound * 2 ** fractionBits(clients, bound));
  let [lowest, highest] = [0, 0];
  for (let i = 0; i < words.length; i++) {
    if (words[i] < lowest) lowest = words[i];
    else if (words[i] > highest) highest = words[i];
  }
  if (highest > largest || lowest < -largest)
    throw new PliantError(
      `A coordinate of the sum is beyond ${survivors} times sums.bound, ${bound}: a site uploaded garbage.`,
    );
}

/** The averages that ride along with a sum. */
export const meansIn = ({ numbers }: Summand, survivors: number): number[] =>
  Array.from(numbers.subarray(2), (number) => fromWhole(number) / survivors);

/** Reads an unmasked sum that was checked. */
export const readSum = (sum: Summand, survivors: number, bound: number, clients: number): SumOf => ({
  values: fromWords(sum.words, fractionBits(clients, bound)),
  means: meansIn(sum, survivors),
  scaled: Number(sum.numbers[1]),
});

/** Sums in the open, in the order of the clients. */
export function plainSum(uploads: ReadonlyMap<string, Given>, round: (value: number) => number): SumOf {
  const given = [...uploads.values()];
  for (const [site, one] of uploads) {
    checkShape(given[0], one, site);
    if (!isAllFinite(one)) throw new PliantError(`The upload of ${site} has numbers that are not finite.`);
  }
  const values = new Float64Array(given[0].values.length);
  for (const { values: more } of given)
    for (let i = 0; i < values.length; i++) values[i] = round(values[i] + more[i]);
  return {
    values,
    means: given[0].numbers.map(
      (_, k) => given.reduce((sum, { numbers }) => sum + numbers[k], 0) / given.length,
    ),
    scaled: 0,
  };
}

/** How many bytes an upload of so many coordinates and numbers has. */
export const uploadLength = (plain: boolean, values: number, numbers: number, parts = 1): number =>
  plain ? 8 + 8 * values + 8 * numbers : 8 + 4 * values + 8 * (numbers + 1 + parts);

/** Two counts, then words or floats, then numbers. */
function encode(first: ArrayBufferView, second: ArrayBufferView, counts: [number, number]): Buffer {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  return Buffer.concat([bytes(Uint32Array.from(counts)), bytes(first), bytes(second)]);
}

function counts(bytes: Buffer, unit: number): [number, number] {
  const [first, second] = bytes.length >= 8 ? [bytes.readUInt32LE(0), bytes.readUInt32LE(4)] : [-1, 0];
  if (first < 0 || bytes.length !== 8 + unit * first + 8 * second)
    throw new InputError("An upload is not as long as it says.");
  return [first, second];
}

const part = (bytes: Buffer, from: number, length: number): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset + from, bytes.byteOffset + from + length) as ArrayBuffer;

/** A summand, masked or not, as bytes. */
export const encodeSummand = ({ words, numbers }: Summand): Buffer =>
  encode(words, numbers, [words.length, numbers.length]);

/** The way back from `encodeSummand`. */
export function decodeSummand(bytes: Buffer): Summand {
  const [words, numbers] = counts(bytes, 4);
  return {
    words: new Int32Array(part(bytes, 8, 4 * words)),
    numbers: new BigInt64Array(part(bytes, 8 + 4 * words, 8 * numbers)),
  };
}

/** What is given in the open, as bytes. */
export const encodeGiven = ({ values, numbers }: Given): Buffer =>
  encode(values, Float64Array.from(numbers), [values.length, numbers.length]);

/** The way back from `encodeGiven`. */
export function decodeGiven(bytes: Buffer): Given {
  const [values, numbers] = counts(bytes, 8);
  return {
    values: new Float64Array(part(bytes, 8, 8 * values)),
    numbers: Array.from(new Float64Array(part(bytes, 8 + 8 * values, 8 * numbers))),
  };
}
