// The coordinator's end of its connections, of whatever kind: a site shows who it is before it is listened to, and of two
// processes with one identity the newer stays.
import type { CoordinatorBus } from "../ports/bus.js";
import type { Ledger } from "../ports/ledger.js";
import { randomBytes } from "../primitives.js";
import {
  changedRoster,
  checkRelease,
  ownRelease,
  type Roster,
  rosterChanges,
  rosterHash,
  signed,
} from "../protocol/index.js";
import { type Frame, frameOf, proofText } from "./frames.js";

/** A way to one process, which may be a site's. */
export interface Link {
  send(text: string): void;
  close(): void;
}

/** One connection. */
export interface Session {
  /** The site at the other end, once it has shown that it is. */
  readonly site: { readonly name: string; readonly key: string } | undefined;
  hear(text: string): Promise<void>;
  /** The connection is no more. */
  lost(): void;
}

/** All connections of a coordinator. */
export interface Sessions {
  open(link: Link): Session;
  readonly bus: CoordinatorBus;
  /** Sites that are connected now. */
  readonly connected: readonly string[];
  /** Resolves once enough have joined to begin; sites are told who takes part. */
  roster(): Promise<Roster>;
  /** Tells sites who takes part from now on; those that do not are told so. */
  setRoster(roster: Roster): void;
  /** To be called when someone has joined. */
  joined(): Promise<void>;
  /** The identity that a site joined with. */
  keyOf(site: string): Promise<string | undefined>;
}

const missed = JSON.stringify({ frame: "missed" });

/** Sessions of a run that begins with so many sites. */
export function coordinatorSessions(run: string, begin: number, ledger: Ledger): Sessions {
  /** The link of each site, and the identity that proved itself there. */
  const links = new Map<string, { readonly link: Link; readonly key: string }>();
  let hear: (site: string, text: string) => void = () => {};
  let complete: (roster: Roster) => void = () => {};
  const full = new Promise<Roster>((resolve) => {
    complete = resolve;
  });
  let roster: Roster | undefined;
  let rosterText = "";
  const keyOf = async (name: string): Promise<string | undefined> => {
    const known = await ledger.roster();
    return Object.hasOwn(known, name) ? known[name] : undefined;
  };
  const say = (link: Link, frame: Frame) => link.send(JSON.stringify(frame));
  const takeRoster = (next: Roster) => {
    roster = next;
    // Long with many sites, and one text for all of them.
    rosterText = JSON.stringify({ frame: "roster", roster } satisfies Frame);
  };
  const tellRoster = (link: Link, site: string) => {
    if (roster && Object.hasOwn(roster, site)) link.send(rosterText);
  };
  const refuse = (link: Link, why: string) => {
    say(link, { frame: "refused", why });
    link.close();
  };
  /** Nobody at the other end is listened to any more, whether it closes or not. */
  const drop = (name: string, why: string) => {
    const { link } = links.get(name)!;
    links.delete(name);
    refuse(link, why);
  };
  const otherIdentity = (name: string) =>
    `${name} has another identity here; join with a code of its own, or from the folder it joined with.`;

  return {
    open: (link) => {
      const challenge = randomBytes(32).toString("hex");
      let proven: Session["site"];
      say(link, { frame: "challenge", challenge });
      return {
        get site() {
          return proven;
        },
        hear: async (text) => {
          if (proven) {
            if (links.get(proven.name)?.link !== link) return;
            return text.startsWith(missed) ? tellRoster(link, proven.name) : hear(proven.name, text);
          }
          const proof = frameOf(text);
          if (proof?.frame !== "prove") return refuse(link, "A site says first who it is.");
          const { site: name, signature } = proof;
          const key = await keyOf(name);
          if (!key || !signed(key, proofText(run, name, challenge), signature))
            return refuse(link, otherIdentity(name));
          try {
            checkRelease(`${name} runs`, proof.release);
          } catch (error) {
            return refuse(link, (error as Error).message);
          }
          if (links.has(name)) drop(name, "Another process has joined with this site's identity.");
          proven = { name, key };
          links.set(name, { link, key });
          say(link, { frame: "welcome", release: ownRelease });
          // One that has just joined is told once it is on the roster.
          if (roster && proof.roster !== rosterHash(roster)) tellRoster(link, name);
        },
        lost: () => {
          if (proven && links.get(proven.name)?.link === link) links.delete(proven.name);
        },
      };
    },
    bus: {
      listen: (handler) => {
        hear = handler;
      },
      send: (site, text) => links.get(site)?.link.send(text),
      close: async () => {},
    },
    get connected() {
      return [...links.keys()];
    },
    roster: () => full,
    keyOf,
    setRoster: (next) => {
      const before = roster;
      takeRoster(next);
      const news = before && newsOf(before, next);
      const newsText = news ? JSON.stringify(news) : rosterText;
      for (const [name, { link, key }] of [...links])
        if (!Object.hasOwn(next, name))
          drop(name, `${name} was removed from the federation by its coordinator.`);
        else if (next[name] !== key) drop(name, otherIdentity(name));
        else link.send(before && Object.hasOwn(before, name) ? newsText : rosterText);
    },
    joined: async () => {
      if (roster) return;
      const known = await ledger.roster();
      for (const [name, { key }] of [...links]) if (known[name] !== key) drop(name, otherIdentity(name));
      const began = (await ledger.value("began")) !== undefined;
      if (!began && Object.keys(known).length < begin) return;
      if (!began) await ledger.setValue("began", new Date().toISOString());
      takeRoster(known);
      for (const { link } of links.values()) link.send(rosterText);
      complete(known);
    },
  };
}

/** What sites that know one roster are told of the next: who has joined and gone; nothing where that is not enough. */
function newsOf(before: Roster, next: Roster): Frame | undefined {
  const { newcomers, gone } = rosterChanges(before, next);
  const joined = Object.fromEntries(newcomers.map((site) => [site, next[site]]));
  const after = rosterHash(next);
  if (rosterHash(changedRoster(before, { joined, gone })) !== after) return undefined;
  return { frame: "change", before: rosterHash(before), after, joined, gone };
}
