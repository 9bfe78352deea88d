// The coordinator under load, in a process of its own: the embedded bus, blobs in a folder, a ledger in a file.
import { join } from "node:path";
import {
  certificateFingerprint,
  coordinate,
  digest,
  embeddedServer,
  fileLedger,
  folderBlobs,
  newCertificate,
} from "@pliant/federation";
import { identityFor, type Load, siteNames, specOf, type Told } from "./load-problem.js";

const { load, out } = JSON.parse(process.argv[2]) as { load: Load; out: string };
const tell = (told: Told) => process.send!(told);
const spec = specOf(load);
const ledger = fileLedger(join(out, "ledger.log"));
for (const site of siteNames(load)) {
  await ledger.invite(site, digest(site), Number.MAX_VALUE);
  await ledger.join(site, digest(site), identityFor(site).key, 0);
}
const certificate = newCertificate();
const blobs = folderBlobs(join(out, "blobs"));
const server = await embeddedServer({
  run: "load",
  spec,
  ledger,
  blobs,
  certificate,
  host: "127.0.0.1",
  port: 0,
});
tell({ kind: "listening", port: server.port, fingerprint: certificateFingerprint(certificate.cert) });
const roster = await server.roster();
while (server.connected.length < load.sites) await new Promise((resolve) => setTimeout(resolve, 100));

const seconds = () => performance.now() / 1000;
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let [begun, used] = [seconds(), cpu()];
let phases: Record<string, number> = {};
let [phase, since] = ["gathering", seconds()];
let memoryMB: Record<string, number> = {};
const watching = setInterval(() => {
  memoryMB[phase] = Math.max(memoryMB[phase] ?? 0, Math.round(process.memoryUsage.rss() / 2 ** 20));
}, 20);
const { rows, told } = await coordinate({
  run: "load",
  spec,
  roster,
  ledger,
  blobs,
  bus: server.bus,
  // Sites that fall silent are waited for this long, once a sum.
  patience: { training: 600_000, answer: load.dropped > 0 ? 60_000 : 600_000 },
  say: (what) => console.error(what),
  onPhase: (next) => {
    if (next === phase) return;
    phases[phase] = (phases[phase] ?? 0) + seconds() - since;
    [phase, since] = [next, seconds()];
  },
  onCommitted: ({ survivors }) => {
    phases[phase] = (phases[phase] ?? 0) + seconds() - since;
    since = seconds();
    tell({
      kind: "round",
      seconds: seconds() - begun,
      cpuSeconds: cpu() - used,
      survivors: survivors.length,
      phases,
      memoryMB,
    });
    [begun, used, phases, memoryMB] = [seconds(), cpu(), {}, {}];
  },
});
tell({
  kind: "done",
  maxMemoryMB: process.resourceUsage().maxRSS / 1024,
  attempts: rows.reduce((sum, { attempt }) => sum + attempt, 0),
  told: told.length,
});
clearInterval(watching);
await server.close();
await ledger.close();
process.disconnect();
