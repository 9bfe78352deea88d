// A site's end of its connection, of whatever kind: it shows who it is, learns who takes part, and hears whether it may stay.
import { InputError, PliantError } from "@pliant/core";
import type { SiteBus, SiteListener } from "../ports/bus.js";
import {
  changedRoster,
  checkRelease,
  type Identity,
  ownRelease,
  type Roster,
  rosterHash,
} from "../protocol/index.js";
import { frameOf, proofText } from "./frames.js";

/** How a connection is kept up: what it is told and asked by the session. */
export interface Connection {
  send(text: string): void;
  close(): void;
}

export interface SiteSession {
  readonly bus: SiteBus;
  /** Who takes part, once enough have joined. */
  roster(): Promise<Roster>;
  /** Whenever others take part than before. */
  onRoster(take: (roster: Roster) => void): void;
  /** What came over the connection. */
  hear(text: string): void;
  /** The connection is no more; there may be another. */
  lost(): void;
  /** The coordinator does not want this site, or is not who it should be. */
  end(why: string): void;
  readonly welcomed: boolean;
  readonly closed: boolean;
}

export function siteSession(
  run: string,
  site: string,
  identity: Identity,
  connection: Connection,
): SiteSession {
  let listener: SiteListener | undefined;
  let welcomed = false;
  let closed = false;
  let known: (roster: Roster) => void = () => {};
  let latest: Roster | undefined;
  let changed: (roster: Roster) => void = () => {};
  let failed: (error: Error) => void = () => {};
  const roster = new Promise<Roster>((resolve, reject) => {
    known = resolve;
    failed = reject;
  });
  // Whoever waits for it hears of it; nobody may be waiting.
  roster.catch(() => {});

  const end = (why: string) => {
    closed = true;
    connection.close();
    failed(new InputError(why));
    listener?.ended(why);
  };
  const take = (next: Roster) => {
    latest = next;
    known(next);
    changed(next);
  };
  return {
    roster: () => roster,
    onRoster: (take) => {
      changed = take;
      if (latest) take(latest);
    },
    hear: (text) => {
      const frame = frameOf(text);
      if (!frame) return void (welcomed && listener?.message(text));
      if (frame.frame === "challenge") {
        const signature = identity.sign(proofText(run, site, frame.challenge));
        const knows = latest && { roster: rosterHash(latest) };
        connection.send(JSON.stringify({ frame: "prove", site, signature, release: ownRelease, ...knows }));
      } else if (frame.frame === "welcome") {
        try {
          checkRelease("The coordinator runs", frame.release);
        } catch (error) {
          return end((error as Error).message);
        }
        welcomed = true;
        listener?.connected();
      } else if (frame.frame === "roster") take(frame.roster);
      else if (frame.frame === "change") {
        if (!latest || rosterHash(latest) !== frame.before)
          return connection.send(JSON.stringify({ frame: "missed" }));
        const next = changedRoster(latest, frame);
        if (rosterHash(next) !== frame.after)
          return end("The coordinator told a change of the roster that does not give the roster it names.");
        take(next);
      } else if (frame.frame === "refused") end(frame.why);
    },
    lost: () => {
      welcomed = false;
    },
    end,
    get welcomed() {
      return welcomed;
    },
    get closed() {
      return closed;
    },
    bus: {
      listen: (handler) => {
        listener = handler;
        if (welcomed) handler.connected();
      },
      send: (text) => {
        if (welcomed) connection.send(text);
      },
      close: async () => {
        closed = true;
        connection.close();
        failed(new PliantError("The site has stopped."));
      },
    },
  };
}
