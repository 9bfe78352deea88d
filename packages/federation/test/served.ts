// A coordinator's server with two sites that have joined, and sites that write down what they hear.
import {
  certificateFingerprint,
  digest,
  type EmbeddedOptions,
  embeddedServer,
  type Identity,
  identityOf,
  memoryBlobs,
  memoryLedger,
  newCertificate,
  newSecret,
  type SiteBus,
} from "@pliant/federation";
import { specOf } from "./problem.js";
import { seededBytes } from "./seeded.js";

export const certificate = newCertificate();

/** A coordinator's server with sites a and b, and what they need to reach it. */
export async function served(
  more: Partial<Pick<EmbeddedOptions, "beat" | "port" | "blobs" | "admission">> = {},
) {
  const ledger = memoryLedger();
  const identities = new Map<string, Identity>();
  for (const site of ["a", "b"]) {
    identities.set(site, identityOf(newSecret(seededBytes(site))));
    await ledger.invite(site, digest(site), Number.MAX_VALUE);
    await ledger.join(site, digest(site), identities.get(site)!.key, 0);
  }
  const spec = specOf({ sites: { number: 3 } });
  const server = await embeddedServer({
    run: "r",
    spec,
    ledger,
    blobs: memoryBlobs(),
    certificate,
    host: "127.0.0.1",
    port: 0,
    ...more,
  });
  const address = {
    host: "127.0.0.1",
    port: server.port,
    run: "r",
    fingerprint: certificateFingerprint(certificate.cert),
  };
  return { server, address, identities, ledger };
}

/** What a site has heard. */
export interface Joined {
  readonly bus: SiteBus;
  readonly heard: string[];
  readonly ended: string[];
  connected: number;
}

export const joined = (bus: SiteBus): Joined => {
  const site: Joined = { bus, heard: [], ended: [], connected: 0 };
  bus.listen({
    message: (text) => site.heard.push(text),
    connected: () => {
      site.connected++;
    },
    ended: (why) => site.ended.push(why),
  });
  return site;
};
