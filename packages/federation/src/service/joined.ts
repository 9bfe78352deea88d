// What a site's folder keeps of its joining: where the coordinator is, by which code, and with which table.
import { InputError } from "@pliant/core";
import type { NdArray } from "@pliant/engine";
import { z } from "zod";
import { decodeCode, encodeCode } from "../embedded/index.js";
import { unsealed } from "../ports/index.js";
import { digest } from "../sums/index.js";
import type { Parts, SiteTable } from "../tables/index.js";
import { policySchema } from "./policy.js";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const kept = z.object({
  host: z.string(),
  port: z.number(),
  fingerprint: z.string().optional(),
  /** Authorities that this site trusts besides those that Node does, as PEM. */
  ca: z.string().optional(),
  run: z.string(),
  site: z.string(),
  /** Where sites meet, if not at the coordinator's own server. */
  bus: z.string().optional(),
  spec: z.unknown(),
  /** The site's own floors. */
  policy: policySchema.optional(),
  /** Of the join code. */
  code: hash.optional(),
  table: z.object({ rows: z.number(), features: hash, labels: hash }).optional(),
});

/** A site's joining, as its folder has it. */
export type Kept = z.infer<typeof kept>;

/** Of the text in the folder. */
export const readKept = (text: Buffer, file: string): Kept => kept.parse(JSON.parse(unsealed(text, file)));

/** By what a code is known again; its secret is not kept. */
export const codeMark = (code: string): string => digest(encodeCode(decodeCode(code)));

/** A code that is given once more must be the one that the folder joined with. */
export function checkSameCode(out: string, code: string, joined: Kept): void {
  const { run, site, fingerprint } = decodeCode(code);
  if (run !== joined.run)
    throw new InputError(`${out} has joined another federation; choose another --out for this one.`);
  const same = joined.code === undefined || joined.code === codeMark(code);
  if (!same || site !== joined.site || fingerprint !== joined.fingerprint)
    throw new InputError(
      `This is not the join code that ${out} joined with, as ${joined.site}; go on by --resume without a code, or choose another --out.`,
    );
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** By what a table is known again: the columns that are used, in the order of its rows, before any scale. */
export function tableMark(table: SiteTable): NonNullable<Kept["table"]> {
  const { train, test } = table.encoded();
  const parts = test ? [train, test] : [train];
  const all = (of: (rows: Parts["train"]) => readonly ArrayBufferView[]) =>
    digest(Buffer.concat(parts.flatMap(of).map(bytesOf)));
  return {
    rows: parts.reduce((sum, { labels }) => sum + labels.length, 0),
    features: all(({ x, weights, groups }) => [
      x.data as NdArray["data"] & ArrayBufferView,
      ...(weights ? [weights] : []),
      ...(groups ? [groups] : []),
    ]),
    labels: all(({ labels }) => [labels]),
  };
}

/** What a site has learnt and promised is of the table it joined with: it goes on with no other. */
export function checkSameTable(source: string, table: SiteTable, before: Kept["table"]): void {
  if (!before) return;
  const now = tableMark(table);
  const others = [
    ...(now.labels === before.labels ? [] : ["its labels"]),
    ...(now.features === before.features ? [] : ["its features"]),
  ];
  if (others.length === 0) return;
  const how =
    now.rows === before.rows
      ? `${others.join(" and ")} are others, or in another order`
      : `${now.rows} rows for ${before.rows}`;
  throw new InputError(
    `${source} is not the table that this site joined with: ${how}. Go on with that one; another takes part in another federation.`,
  );
}

/** HOST:PORT, where the coordinator is now. */
export function readAt(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^\[?([^\]\s]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new InputError(`"${text}" is not where a coordinator is: HOST:PORT, as 10.0.0.5:45556.`);
  return { host, port: Number(port) };
}
