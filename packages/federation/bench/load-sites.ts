// Many sites in one process: their messages, boxes and uploads are those of real ones. What a thousand machines do in parallel and
// this process cannot is left out: training, whose update is made up; verifying each other's signatures; and, where no site
// falls silent, the masks of pairs, which cancel in the sum. The coordinator has the same work.
import { randomBytes } from "node:crypto";
import { reference } from "@pliant/engine";
import { planned } from "@pliant/federated";
import {
  type Crypto,
  embeddedSite,
  encodeMessage,
  httpsBlobs,
  networkOptions,
  newDisk,
  realCrypto,
  type SiteEvent,
  siteMachine,
  specHash,
  type ToSite,
} from "@pliant/federation";
import { identityFor, type Load, parametersOf, siteNames, specOf } from "./load-problem.js";

const { load, port, fingerprint } = JSON.parse(process.argv[2]) as {
  load: Load;
  port: number;
  fingerprint: string;
};
const spec = specOf(load);
const plan = planned(networkOptions(spec, reference()));
const names = siteNames(load);
const roster = Object.fromEntries(names.map((name) => [name, identityFor(name).key]));
const values = Float64Array.from({ length: parametersOf(load) }, (_, i) => 0.01 * Math.sin(i));
const crypto: Crypto = {
  ...realCrypto,
  signed: () => true,
  masked: (me, secrets, cohort, context, summand) =>
    realCrypto.masked(me, secrets, cohort, context, summand, load.dropped > 0 ? undefined : new Set()),
};

/** A connection may be closed while it is idle. */
async function persistently<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
// Its processor time, for each round that ends.
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1e6);
});
const address = { host: "127.0.0.1", port, fingerprint, run: "load" };

let last: { readonly text: string; readonly message: ToSite } | undefined;
/** Most messages are the same for all sites, and one process reads them once. */
function parsed(text: string): ToSite {
  if (last?.text !== text) last = { text, message: JSON.parse(text) as ToSite };
  return last.message;
}

let over = 0;
for (const [i, site] of names.entries()) {
  const identity = identityFor(site);
  const { bus } = embeddedSite(address, site, identity);
  const blobs = httpsBlobs(address, site, identity);
  const machine = siteMachine<null>(
    {
      run: "load",
      site,
      session: site,
      identity,
      roster,
      spec: specHash(spec),
      bound: spec.sums.bound,
      least: 3,
      plain: false,
      random: randomBytes,
      crypto,
    },
    load.sites,
    newDisk(null),
  );
  const silent = i < load.dropped;
  const handle = (event: SiteEvent<null>) => {
    for (const effect of machine.handle(event)) {
      if (effect.kind === "send") {
        if (effect.message.kind === "refuse") console.error(`${site}: ${effect.message.reason}`);
        bus.send(encodeMessage(effect.message));
      } else if (effect.kind === "train")
        void persistently(() => blobs.get(effect.shown.model)).then(() => {
          const numbers = plan[effect.shown.exchange].numbers.map(() => 0.5);
          handle({ kind: "trained", shown: effect.hash, prepared: { values, numbers, next: null } });
        });
      else if (effect.kind === "upload") {
        const { exchange, attempt, bytes } = effect;
        if (!silent)
          void persistently(() => blobs.put(bytes)).then((upload) =>
            handle({ kind: "stored", exchange, attempt, upload }),
          );
      } else if (effect.kind === "finished" && ++over === names.length) {
        // The coordinator still has to hear so.
        setTimeout(() => process.exit(0), 2000);
      }
    }
  };
  bus.listen({
    message: (text) => handle({ kind: "message", message: parsed(text) }),
    connected: () => handle({ kind: "connected" }),
    ended: (why) => {
      console.error(`${site}: ${why}`);
      process.exit(1);
    },
  });
}
