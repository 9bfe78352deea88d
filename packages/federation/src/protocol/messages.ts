// What sites and the coordinator say to each other. Every message names its run, exchange and attempt, so that one that comes
// twice, late or out of order is known for what it is. Models and updates do not travel in messages, only their hashes do.
import { InputError } from "@pliant/core";
import { z } from "zod";
import { printable } from "./printable.js";

/** The version of the protocol: sites and coordinator of different ones do not talk. It changes with a minor release only. */
export const version = 7;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const key = hash;
const signature = z.string().regex(/^[0-9a-f]{128}$/);
const share = z.string().regex(/^[0-9a-f]{66}$/);
const mark = z.string().regex(/^[0-9a-f]{32}$/);
const marks = { mask: mark, self: mark };
const shares = { mask: share, self: share };
/** A name is a name, on every disk and in every address: no path, and nothing that hides. */
export const siteName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u)
  // Of every object, so a record by site would seem to have it.
  .refine(
    (name) => name.normalize("NFKC") === name && !/\p{Default_Ignorable_Code_Point}/u.test(name),
    "a name has no letters that hide, or that are another letter in another form",
  )
  .refine((name) => !(name in {}), "no site can have this name");
const site = siteName;
const sites = z.array(site).max(100_000);
const count = z.number().int().nonnegative();
/** A sentence of somebody else, who may not write on this terminal. */
const sentence = z.string().max(500).transform(printable);

/** An attempt at an exchange; exchanges count from 0 over the whole run, attempts from 1. */
const attempt = { run: z.string().max(64), exchange: count, attempt: count };

const shown = z.object({
  step: count,
  exchange: count,
  /** The hash of what the server shares: the model, and the solver's second average. */
  model: hash,
  meanPrice: z.number(),
  answers: z.array(z.number()).max(16),
  /** How many sites the mean price is over, where some have left. */
  present: count.optional(),
  /** How all exchanges before this one ended (past.ts). */
  past: hash,
});

/** How the last exchange that a site uploaded in ended, and the hashes of how those after it did. */
const since = z.object({
  exchange: count,
  attempt: count,
  statement: hash,
  /** Of the tree over all groups; nothing where the round was given up. */
  root: hash.nullable(),
  /** Of its group, and which one that is. */
  survivors: sites,
  group: count,
  path: z.array(hash).max(32),
  after: z.array(hash).max(1_000_000),
});

const counted = z.object({ exchange: count, attempt: count }).nullable();
const member = z.object({ site, least: count, mask: key, channel: key, self: hash, signature });

const fromCoordinator = [
  /** The statement's hash tells a site that has another spec or roster so, before it trains. */
  z.object({
    kind: z.literal("work"),
    ...attempt,
    shown,
    statement: hash,
    since: since.optional(),
    /** A sum failed: this one is taken in parts, which show whose fault it is. */
    suspects: sites.optional(),
  }),
  z.object({ kind: z.literal("cohort"), ...attempt, members: z.array(member).max(100_000) }),
  z.object({
    kind: z.literal("dealt"),
    ...attempt,
    boxes: z
      .array(
        z.object({
          ...{ from: site, box: z.string().max(400), ...marks },
          /** What its dealer says is in it, where the holder complained. */
          opened: z.object(shares).optional(),
        }),
      )
      .max(100_000),
  }),
  /** A holder says that a box of this site does not hold what the site committed to. */
  z.object({ kind: z.literal("challenged"), ...attempt, by: site, box: hash, signature }),
  z.object({ kind: z.literal("survivors"), ...attempt, survivors: sites }),
  z.object({
    kind: z.literal("agreed"),
    ...attempt,
    signatures: z.array(z.object({ site, signature })).max(100_000),
  }),
  z.object({ kind: z.literal("finished"), ...attempt, model: hash, past: hash, since: since.optional() }),
] as const;

const fromSite = [
  z.object({
    kind: z.literal("hello"),
    run: z.string().max(64),
    site,
    session: z.string().max(64),
    /** The last exchange that it uploaded in, and the group that it was drawn into: it is to be told what came of it. */
    since: z.object({ exchange: count, group: count }).optional(),
  }),
  z.object({
    kind: z.literal("ready"),
    ...attempt,
    session: z.string().max(64),
    member,
    statement: hash,
    /** Spent once this is told, where records are private. */
    epsilon: z.number().nonnegative().optional(),
  }),
  z.object({
    kind: z.literal("boxes"),
    ...attempt,
    boxes: z.array(z.object({ to: site, box: z.string().max(400), ...marks })).max(100_000),
    /** Of the share that it keeps. */
    own: z.object(marks),
  }),
  /** A box does not hold what its dealer committed to. */
  z.object({ kind: z.literal("complain"), ...attempt, of: site, box: hash, signature }),
  /** What this site dealt to the one that complained. */
  z.object({ kind: z.literal("opening"), ...attempt, to: site, ...shares }),
  z.object({ kind: z.literal("uploaded"), ...attempt, upload: hash }),
  z.object({ kind: z.literal("agree"), ...attempt, signature }),
  z.object({
    kind: z.literal("reveal"),
    ...attempt,
    selves: z.record(site, share),
    masks: z.record(site, share),
  }),
  z.object({
    kind: z.literal("refuse"),
    ...attempt,
    session: z.string().max(64),
    reason: sentence,
    /** Whether it takes part no more, whatever is asked. */
    final: z.boolean().optional(),
  }),
  z.object({ kind: z.literal("done"), ...attempt }),
] as const;

const toSite = z.discriminatedUnion("kind", fromCoordinator);
const toCoordinator = z.discriminatedUnion("kind", fromSite);

/** From the coordinator. */
export type ToSite = z.infer<typeof toSite>;
/** From a site. */
export type ToCoordinator = z.infer<typeof toCoordinator>;
/** What sites are shown in an exchange. */
export type ShownMessage = z.infer<typeof shown>;
/** What a site is told of its last attempt. */
export type Since = z.infer<typeof since>;
/** A site of a cohort, with its keys and its signature below them. */
export type SignedMember = z.infer<typeof member>;
/** The last attempt that counted a site; null before the first. */
export type Counted = z.infer<typeof counted>;

/** A message as text, with the version of the protocol. */
export const encodeMessage = (message: ToSite | ToCoordinator): string =>
  JSON.stringify({ version, ...message });

/** A message from the coordinator, or a sentence. */
export const parseToSite = (text: string): ToSite => parse(toSite, text, "The coordinator");

/** A message from a site, or a sentence. */
export const parseToCoordinator = (text: string): ToCoordinator => parse(toCoordinator, text, "A site");

function parse<T>(schema: z.ZodType<T>, text: string, who: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(`${who} sent something that is not JSON.`);
  }
  const spoken = (value as { version?: unknown } | null)?.version;
  if (spoken !== version)
    throw new InputError(
      `${who} speaks version ${printable(String(spoken))} of the protocol, and this is version ${version}; use the same pliant on both.`,
    );
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InputError(
    `${who} sent a message that is none: ${printable(`${issue.path.join(".") || "kind"}: ${issue.message}`)}.`,
  );
}
