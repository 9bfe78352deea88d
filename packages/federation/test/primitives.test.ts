// A tab's ciphers and curves against Node's: what one makes the other reads, to the bit.
import { expect, test } from "vitest";
import * as tab from "../page/primitives.js";
import * as node from "../src/primitives.js";
import { seededBytes } from "./seeded.js";

const random = seededBytes("primitives");
const [key, mine, theirs] = [random(32), random(32), random(32)];

test("hashes, keys, secrets and streams are the same", () => {
  for (const data of ["", "grün", random(1000)]) expect(tab.sha256(data)).toEqual(node.sha256(data));
  for (const curve of ["x25519", "ed25519"] as const)
    expect(tab.openKeyOf(curve, mine)).toEqual(node.openKeyOf(curve, mine));
  const open = node.openKeyOf("x25519", theirs);
  expect(tab.sharedSecret(mine, open)).toEqual(node.sharedSecret(mine, open));
  expect(tab.derived(key, "a purpose")).toEqual(node.derived(key, "a purpose"));
  for (const number of [0, 1]) {
    const [here, there] = [tab.keystream(key, number), node.keystream(key, number)];
    for (const bytes of [1 << 16, 1 << 16, 32, 7]) expect(here(bytes)).toEqual(there(bytes));
  }
});

test("what one signs or seals the other verifies or opens, and refuses when it was changed", () => {
  const open = node.openKeyOf("ed25519", mine);
  expect(tab.signature(mine, "text")).toEqual(node.signature(mine, "text"));
  for (const { isSigned } of [tab, node]) {
    expect(isSigned(open, "text", node.signature(mine, "text"))).toBe(true);
    expect(isSigned(open, "another", node.signature(mine, "text"))).toBe(false);
  }
  const sealed = tab.seal(key, random(66));
  expect(node.seal(key, node.unseal(key, sealed))).toEqual(sealed);
  expect(tab.unseal(key, sealed)).toEqual(node.unseal(key, sealed));
  sealed[3] ^= 1;
  for (const { unseal } of [tab, node]) expect(() => unseal(key, sealed)).toThrow();
});

test("a key of low order gives no secret", () => {
  for (const { sharedSecret } of [tab, node]) {
    const shared = () => {
      const secret = sharedSecret(mine, Buffer.alloc(32));
      if (secret.every((byte) => byte === 0)) throw new Error("zeros");
    };
    expect(shared).toThrow();
  }
});
