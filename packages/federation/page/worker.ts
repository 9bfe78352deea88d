// The site itself, in a worker: reads the table, trains with the reference back end, masks, and sends sums to be.
import "./buffer.js";
import { parseCsv } from "@pliant/data/table";
import { reference } from "@pliant/engine";
import type { ClientState } from "@pliant/federated";
import { decodeCode, type JoinCode } from "../src/embedded/code.js";
import { decodePlain, encodePlain } from "../src/ports/plain.js";
import {
  type Identity,
  identityOf,
  newSecret,
  type Roster,
  rosterCode,
  rosterHash,
  rosterNews,
  type SiteDisk,
} from "../src/protocol/index.js";
import { takePart } from "../src/run/site.js";
import { privacySpent } from "../src/run/site-options.js";
import { checkSpec, exchangesOf, type FederationSpec, networkOptions, privacyOf } from "../src/spec/spec.js";
import { kindsOf, leastRowsByDefault, type SiteTable, siteTable } from "../src/tables/site-table.js";
import { blobsFor, connected, joinWith } from "./connection.js";
import { type Kept, keptFor } from "./kept.js";
import { randomBytes } from "./primitives.js";
import type { Asked, Said } from "./said.js";

const say = (said: Said): void => postMessage(said);
const fail = (error: unknown, final: boolean): void =>
  say({ kind: "failed", why: error instanceof Error ? error.message : String(error), final });

interface Opened {
  readonly code: JoinCode;
  readonly identity: Identity;
  readonly kept: Kept;
}
let opened: Opened | undefined;

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  if (data.kind === "open") open(data.code).catch((error) => fail(error, true));
  else begin(data).catch((error) => fail(error, false));
});

/** A site that was here before goes on; one that was not is told what its table has to be. */
async function open(text: string): Promise<void> {
  const code = decodeCode(text);
  const kept = await keptFor(code.run, code.site);
  let secret = await kept.get("secret");
  if (secret === undefined) {
    secret = newSecret(randomBytes);
    await kept.set({ secret });
  }
  opened = { code, identity: identityOf(secret), kept };
  const known = await kept.get("spec");
  const spec = known
    ? checkSpec(JSON.parse(known), "What this tab kept")
    : await joinWith(code, opened.identity, true);
  const { data, sites, name } = spec;
  const requirement = sites.loss === undefined ? "none" : `loss at most ${sites.loss}`;
  say({ kind: "invited", site: code.site, federation: name, requirement, ...data });
  const table = await kept.get("table");
  if (known && table) {
    const { name, text } = JSON.parse(table) as { name: string; text: string };
    await work(opened, spec, checked(name, text, spec));
  }
}

function checked(name: string, text: string, spec: FederationSpec): SiteTable {
  const table = siteTable(
    parseCsv(text, { source: name, columns: kindsOf(spec.data) }),
    spec,
    leastRowsByDefault,
  );
  const labels = Array.from(table.encoded().train.labels);
  const counts = spec.data.classes.map((_, label) => labels.filter((one) => one === label).length);
  say({ kind: "table", name, rows: table.rows, counts });
  for (const text of table.notes) say({ kind: "note", text });
  return table;
}

/** The code is used up only once the table fits. */
async function begin({ name, text }: { readonly name: string; readonly text: string }): Promise<void> {
  const { code, identity, kept } = opened!;
  const table = checked(name, text, await joinWith(code, identity, true));
  await kept.set({ table: JSON.stringify({ name, text }) });
  const spec = await joinWith(code, identity, false);
  await kept.set({ spec: JSON.stringify(spec) });
  await work(opened!, spec, table);
}

async function work({ code, identity, kept }: Opened, spec: FederationSpec, data: SiteTable): Promise<void> {
  const { run, site } = code;
  const session = connected(run, site, identity);
  try {
    say({ kind: "phase", phase: "waiting for the other sites to join" });
    const roster = await session.roster();
    await members(kept, run, roster);
    // Its place among the first that it was told of, for as long as it takes part.
    const place = await kept.get("index");
    const index = place === undefined ? Object.keys(roster).indexOf(site) : Number(place);
    await kept.set({ index: String(index) });
    const text = await kept.get("disk");
    const disk = text === undefined ? undefined : decodePlain<SiteDisk<ClientState>>(text);
    const of = exchangesOf(spec, networkOptions(spec, reference()));
    let times = Number((await kept.get("times")) ?? 0);
    const privacy = privacyOf(spec, data.rows);
    const counted = (known: SiteDisk<ClientState>) => {
      const { price, relaxation, round } = known.state;
      const spent = privacySpent(privacy, known);
      say({ kind: "counted", times, of, price, relaxation, loss: round?.loss, spent });
    };
    if (disk) counted(disk);
    let last = disk?.counted?.exchange;
    const save = (next: SiteDisk<ClientState>) => {
      if (next.counted && next.counted.exchange !== last) times++;
      last = next.counted?.exchange;
      return kept.set({ disk: encodePlain(next), times: String(times) });
    };
    const { price, relaxation, model } = await takePart({
      run,
      spec,
      site,
      identity,
      roster,
      index,
      onRoster: (take) =>
        session.onRoster((next) => {
          members(kept, run, next).then(
            () => take(next),
            (error) => fail(error, true),
          );
        }),
      data,
      store: { load: () => disk, save },
      bus: session.bus,
      blobs: blobsFor(run, site, identity),
      say: (text) => say({ kind: "note", text }),
      onPhase: (phase) => say({ kind: "phase", phase }),
      onCounted: counted,
    });
    say({ kind: "done", price, relaxation, model });
  } catch (error) {
    fail(error, true);
  } finally {
    await session.bus.close();
  }
}

/** Whom this site sums with is kept, and every change is said. */
async function members(kept: Kept, run: string, now: Roster): Promise<void> {
  const text = await kept.get("roster");
  const before = text === undefined ? undefined : (JSON.parse(text) as Roster);
  if (before && rosterHash(before) === rosterHash(now)) return;
  await kept.set({ roster: JSON.stringify(now) });
  const said = before
    ? rosterNews(run, before, now)
    : `${Object.keys(now).length} sites take part. The code of their roster, the same at every site, is ${rosterCode(run, now)}.`;
  say({ kind: "note", text: said });
}
