// pliant federate serve: a coordinator over its folder.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { InputError, PliantError } from "@pliant/core";
import {
  type Admission,
  type CertificateFiles,
  certificateFingerprint,
  type Embedded,
  embeddedServer,
} from "../embedded/index.js";
import { type NatsCoordinator, natsCoordinator } from "../nats/index.js";
import { encodePlain, HeldError, type Lease, type Ledger, type LedgerRow } from "../ports/index.js";
import { checkRelease, type Patience, rosterCode } from "../protocol/index.js";
import { type CoordinateOptions, coordinate, type Picture } from "../run/index.js";
import { notConnected } from "../run/picture.js";
import type { FederationSpec } from "../spec/spec.js";
import { roundsAfter } from "../spec/stages.js";
import { type Evaluation, type GroupPrices, learntThresholds, type Thresholds } from "../tables/index.js";
import {
  type CoordinatorFolder,
  newCoordinatorFolder,
  openCoordinatorFolder,
  setIssued,
} from "./coordinator-folder.js";
import { type Fault, metricsOf, serveMetrics } from "./metrics.js";
import { whoIsMissing } from "./places.js";
import { watchCoordinator } from "./watched.js";

/** A new federation, or the folder of one that goes on. */
export interface ServeOptions {
  /** Of a new federation; left out, the folder's goes on. */
  readonly spec?: FederationSpec;
  readonly out: string;
  /** Of a new federation: a Postgres database instead of a file. */
  readonly ledger?: string;
  /** Of a new federation: a NATS server instead of the coordinator's own, `nats://HOST:PORT`. */
  readonly bus?: string;
  /** Of a new federation: an S3-compatible store instead of a folder, see `readS3Address`. */
  readonly blobs?: string;
  readonly host?: string;
  readonly port?: number;
  /** Issued by an authority, with its chain; sites trust it for its host instead of pinning it. */
  readonly issued?: CertificateFiles;
  readonly patience?: Partial<Patience>;
  /** Waits for the end of a coordinator that runs, and takes over. */
  readonly standby?: boolean;
  /** PORT or HOST:PORT, where numbers for Prometheus are given out. */
  readonly metrics?: string;
  readonly say?: (what: string) => void;
  readonly onFault?: (fault: Fault) => void;
  readonly onListening?: (listens: { readonly host: string; readonly port: number }) => void;
  /** With how many rounds are done. */
  readonly onCommitted?: (row: LedgerRow, rounds: number) => void;
  readonly onPhase?: CoordinateOptions["onPhase"];
  readonly signal?: AbortSignal;
}

/** What a run came to: sums and counts, nothing of one site. */
export interface FederationReport {
  readonly name: string;
  readonly run: string;
  readonly rounds: number;
  /** Sites that know that it is over, of all. */
  readonly finished: { readonly sites: number; readonly of: number };
  readonly meanPrice: number;
  /** At the beginning of the last round. */
  readonly meanLoss: number | null;
  /** The hash of the final model. */
  readonly model: string;
  /** In how many exchanges each site was counted, of all. */
  readonly counted: Readonly<Record<string, number>>;
  readonly exchanges: number;
  /** Why it is over before its time, if so. */
  readonly ended?: string;
  readonly privacy?: FederationPrivacy;
  /** The final model on the rows of all sites, on those held out, and by group. */
  readonly evaluation?: Evaluation;
  /** Where groups have requirements. */
  readonly groups?: Readonly<Record<string, { readonly price: number; readonly relaxation: number }>>;
  /** Where a rate is to be alike in all groups. */
  readonly thresholds?: Thresholds;
  /** Sites that took part no more at the end; the mean price is over the others. */
  readonly left?: readonly string[];
}

/** What each record of a site is promised, and the ε that each site says it has spent. */
export interface FederationPrivacy {
  readonly budget: number;
  readonly delta: number;
  readonly unit: "a record of a site";
  readonly spent: Readonly<Record<string, number>>;
  readonly notCovered: string;
}

/** Of rows: what sites said last. */
export function privacyIn(
  { privacy }: FederationSpec,
  rows: readonly LedgerRow[],
): FederationPrivacy | undefined {
  if (!privacy) return undefined;
  return {
    budget: privacy.epsilon,
    delta: privacy.delta,
    unit: "a record of a site",
    spent: Object.assign({}, ...rows.map(({ spent }) => spent)) as FederationPrivacy["spent"],
    notCovered: "how many rows a site has, when it answers, that it refuses, and what its own folder shows",
  };
}

/** Rounds that were given up. */
export const voidsIn = (rows: readonly LedgerRow[]): number => rows.filter((row) => row.void).length;

/** Serves until the last round is done. */
export async function serve(options: ServeOptions): Promise<FederationReport> {
  const { say = () => {}, out } = options;
  const folder = options.spec
    ? await newCoordinatorFolder(out, {
        spec: options.spec,
        run: randomBytes(8).toString("hex"),
        ledger: options.ledger,
        bus: options.bus,
        blobs: options.blobs,
        issued: options.issued,
      })
    : await resumedFolder(options);
  const { spec, ledger, run } = folder;
  const certificate = folder.certificate();
  const blobs = folder.blobs();
  const before = folder.listens();
  const host = options.host ?? before?.host ?? "127.0.0.1";
  const missing = async (): Promise<string | undefined> => whoIsMissing(await ledger.sites(), spec);
  let server: Embedded | undefined;
  let nats: NatsCoordinator | undefined;
  let lease: Lease | undefined;
  let metering: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  const admission: Admission = { expects: () => undefined, reads: () => false };
  try {
    lease = await leased(options, ledger, say);
    server = await embeddedServer({
      run,
      spec,
      ledger,
      blobs,
      certificate,
      host,
      port: options.port ?? before?.port ?? 0,
      bus: folder.bus,
      admission,
      say,
      onJoined: async (site) => say([`${site} has joined.`, await missing()].filter(Boolean).join(" ")),
    });
    if (folder.bus !== undefined)
      nats = await natsCoordinator(folder.bus, { run, certificate, sessions: server.sessions, say });
  } catch (error) {
    await server?.close();
    await lease?.release();
    await ledger.close();
    // A federation that nobody could ever reach has not begun.
    if (options.spec) folder.discard();
    throw error;
  }
  const stopped = new Promise<never>((_, reject) => {
    options.signal?.addEventListener("abort", () => reject(options.signal!.reason), { once: true });
  });
  stopped.catch(() => {});
  const lost = lease.lost.then((why) => Promise.reject(new PliantError(why)));
  lost.catch(() => {});
  try {
    const { port } = server;
    const fingerprint = certificateFingerprint(certificate.cert);
    folder.setListens({ host, port, run, fingerprint, ...(folder.issued && { issued: true }) });
    const watching = watchCoordinator(out, spec, await ledger.rows());
    const metrics = metricsOf(spec, await ledger.rows());
    let sites = Object.keys(await ledger.roster()).length;
    let voids = voidsIn(await ledger.rows());
    const listening = server;
    const text = () => metrics.text({ connected: listening.connected, sites, traffic: listening.traffic });
    if (options.metrics !== undefined) {
      metering = await serveMetrics(options.metrics, text);
      say(`Metrics are at port ${metering.port}, /metrics.`);
    }
    watching.joined(await ledger.sites());
    options.onListening?.({ host, port });
    if (before && (before.port !== port || before.host !== host) && (await ledger.sites()).length > 0)
      say(movedSentence(before, { host, port }));
    const waiting = await missing();
    if (waiting !== undefined) say(waiting);
    const roster = await Promise.race([server.roster(), stopped, lost]);
    sites = Object.keys(roster).length;
    watching.joined(await ledger.sites());
    say(
      `${Object.keys(roster).length} of ${spec.sites.number} sites have joined; the code of their roster is ${rosterCode(run, roster)}.`,
    );
    const { bus } = server;
    const connected = () => server.connected;
    const away = sayingWhoIsAway(say, connected);
    const { patience, onCommitted, onPhase, signal } = options;
    const { sessions } = server;
    const coordinating = coordinate({
      run,
      spec,
      roster,
      ledger,
      blobs,
      bus,
      patience,
      say,
      onCommitted: (row, histogram) => {
        watching.committed(row, histogram);
        metrics.committed(row);
        onCommitted?.(row, roundsAfter(spec, row.shown.step - voids));
      },
      onPicture: (picture) => {
        watching.picture(picture);
        metrics.picture(picture);
        away(picture);
      },
      connected,
      onPhase,
      onRoster: (next) => {
        sessions.setRoster(next);
        sites = Object.keys(next).length;
        say(
          `${Object.keys(next).length} sites take part now; the code of their roster is ${rosterCode(run, next)}.`,
        );
      },
      admission,
      onFault: (fault) => {
        metrics.fault(fault);
        if (fault.kind === "void") voids++;
        options.onFault?.(fault);
      },
      signal,
    });
    coordinating.catch(() => {});
    const done = await Promise.race([coordinating, lost]);
    const exchanges = done.rows.length;
    const counted = Object.fromEntries(
      Object.keys(roster).map((site) => [
        site,
        done.rows.filter((row) => row.survivors.includes(site)).length,
      ]),
    );
    const { groups } = spec.data;
    const report: FederationReport = {
      name: spec.name,
      run,
      rounds: roundsAfter(spec, done.state.step - voidsIn(done.rows)),
      finished: { sites: done.told.length, of: spec.sites.number },
      meanPrice: done.state.meanPrice,
      meanLoss: done.state.meanLoss ?? null,
      model: (done.rows.at(-1)?.shown ?? (await ledger.state())!.shown).model,
      counted,
      exchanges,
      ...(done.ended !== undefined && { ended: done.ended }),
      ...(done.left.length > 0 && { left: done.left }),
      ...(spec.privacy && { privacy: privacyIn(spec, done.rows) }),
      ...evaluatedIn(spec, done.rows),
      ...(groups && done.agreed?.groups && { groups: requirementsIn(groups.values, done.agreed.groups) }),
    };
    if (done.agreed) folder.writeReport("agreed.json", JSON.stringify(done.agreed));
    folder.writeReport("model.json", encodePlain(done.state.params));
    watching.finished(report);
    return report;
  } finally {
    await metering?.close();
    await nats?.close();
    await server.close();
    await lease.release();
    await ledger.close();
  }
}

/** What sums found at the end: losses on training and held-out rows, by group, and thresholds by group. */
export function evaluatedIn(
  { data: { groups } }: FederationSpec,
  rows: readonly LedgerRow[],
): Pick<FederationReport, "evaluation" | "thresholds"> {
  const evaluation = rows.findLast((row) => row.evaluation)?.evaluation;
  const thresholds = evaluation && groups?.rate && learntThresholds(evaluation, groups.rate);
  return { ...(evaluation && { evaluation }), ...(thresholds && { thresholds }) };
}

const requirementsIn = (values: readonly string[], { prices, relaxations }: GroupPrices) =>
  Object.fromEntries(values.map((value, g) => [value, { price: prices[g], relaxation: relaxations[g] }]));

/** Sites that joined by one kind of certificate trust no other. */
async function resumedFolder({ out, issued }: ServeOptions): Promise<CoordinatorFolder> {
  const folder = await openCoordinatorFolder(out);
  try {
    checkRelease(`The federation in ${out} was begun by`, folder.release);
  } catch (error) {
    await folder.ledger.close();
    throw error;
  }
  if (!issued) return folder;
  await folder.ledger.close();
  if (!folder.issued)
    throw new InputError(
      `The sites of ${out} trust the certificate that it began with; leave --certificate and --key out.`,
    );
  setIssued(out, issued);
  return openCoordinatorFolder(out);
}

/** One coordinator at a time; a second is told who it is, or waits for its end. */
async function leased(
  { standby, signal }: Pick<ServeOptions, "standby" | "signal">,
  ledger: Ledger,
  say: (what: string) => void,
): Promise<Lease> {
  const holder = `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}`;
  for (let told = false; ; told = true) {
    try {
      const lease = await ledger.lease(holder);
      if (told) say("The other coordinator is gone; this one takes over.");
      return lease;
    } catch (error) {
      if (!standby || !(error instanceof HeldError)) throw error;
      if (!told) say("Standing by: another coordinator is at work.");
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

interface At {
  readonly host: string;
  readonly port: number;
}

/** A site keeps where it found the coordinator, and looks there for ever. */
function movedSentence(before: At, { host, port }: At): string {
  const where = ["0.0.0.0", "::"].includes(host) ? "HOST" : host.includes(":") ? `[${host}]` : host;
  return `Sites look for it at ${before.host}:${before.port}, where it was; each that has joined is to be stopped and to go on with: pliant federate join --resume DIR --data FILE --at ${where}:${port}. Codes that nobody used are to be made anew.`;
}

/** At most so many sites are named in a line. */
const mostNamed = 5;

/** Says whom it waits for that is not there, whenever those are others than before, and once all of them are again. */
export function sayingWhoIsAway(
  say: (what: string) => void,
  connected: () => readonly string[],
): (picture: Pick<Picture, "late">) => void {
  let before: readonly string[] = [];
  return ({ late }) => {
    const here = new Set(connected());
    const away = late.filter(({ why }) => why === notConnected).map(({ site }) => site);
    // Between two sums nobody is waited for: who was away still is, until it is seen.
    const names = [...new Set([...before, ...away])].filter((site) => !here.has(site));
    const text = names.slice(0, mostNamed).join(", ");
    const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
    if (names.length > 0 && names.join() !== before.join()) say(`Not connected: ${text}${more}.`);
    if (names.length === 0 && before.length > 0) say("All sites that are waited for are connected again.");
    before = names;
  };
}
