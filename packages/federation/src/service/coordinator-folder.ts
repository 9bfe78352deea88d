// A coordinator's folder: its ledger, its blobs, its certificate, where it listens, and in the end its report.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { InputError } from "@pliant/core";
import { z } from "zod";
import {
  type Certificate,
  type CertificateFiles,
  newCertificate,
  readCertificate,
} from "../embedded/index.js";
import { readNatsAddress } from "../nats/index.js";
import {
  type Blobs,
  fileLedger,
  folderBlobs,
  postgresLedger,
  readIfThere,
  readS3Address,
  type S3Options,
  s3Blobs,
  writeDurably,
} from "../ports/index.js";
import type { Ledger } from "../ports/ledger.js";
import { ownRelease } from "../protocol/index.js";
import { checkGroups } from "../spec/data-spec.js";
import { checkSpec, type FederationSpec } from "../spec/spec.js";

const listens = z.object({
  host: z.string(),
  port: z.number(),
  run: z.string(),
  fingerprint: z.string(),
  /** Whether an authority issued the certificate. */
  issued: z.boolean().optional(),
});

/** Where the coordinator listens, for those who invite. */
export type Listens = z.infer<typeof listens>;

/** The folder, open. */
export interface CoordinatorFolder {
  readonly path: string;
  readonly ledger: Ledger;
  /** Opened where they are needed: a store asks for keys. */
  blobs(): Blobs;
  certificate(): Certificate;
  /** Where the certificate is, if an authority issued it. */
  readonly issued: CertificateFiles | undefined;
  readonly spec: FederationSpec;
  readonly run: string;
  /** The release of pliant that began it. */
  readonly release: string | undefined;
  /** Where sites meet, if not at the coordinator's own server. */
  readonly bus: string | undefined;
  setListens(listens: Listens): void;
  listens(): Listens | undefined;
  writeReport(name: string, text: string): void;
  /** Removes what a new federation wrote, once its ledger is closed. */
  discard(): void;
}

const at = (path: string, name: string): string => join(path, name);

/** What a new federation writes before anyone reaches it. */
const made = [
  "certificate.json",
  "certificate.pem",
  "key.pem",
  "ledger.json",
  "ledger.log",
  "ledger.log.head",
  "ledger.log.lease",
];

const certificateFiles = z.object({ certificate: z.string(), key: z.string() });

/** From now on the coordinator shows this certificate. */
export function setIssued(path: string, files: CertificateFiles): void {
  readCertificate(files);
  const [certificate, key] = [resolve(files.certificate), resolve(files.key)];
  writeDurably(at(path, "certificate.json"), JSON.stringify({ certificate, key }));
}

const elsewhere = z.object({ address: z.string(), run: z.string() });

/** The ledger of a folder: its file, or the database it names. */
async function ledgerIn(path: string): Promise<Ledger> {
  const text = readIfThere(at(path, "ledger.json"));
  if (!text) return fileLedger(at(path, "ledger.log"));
  const { address, run } = elsewhere.parse(JSON.parse(text.toString()));
  return postgresLedger(address, run);
}

const inRun = (options: S3Options, run: string): S3Options => ({
  ...options,
  prefix: [options.prefix, run].filter(Boolean).join("/"),
});

const hasLedger = (path: string): boolean =>
  ["ledger.log", "ledger.json"].some((name) => existsSync(at(path, name)));

/** What a new federation is, and where its ledger and its bus are. */
export interface NewFolder {
  readonly spec: FederationSpec;
  readonly run: string;
  /** A Postgres database; a file in the folder unless given. */
  readonly ledger?: string;
  readonly bus?: string;
  /** An S3-compatible store; a folder in the folder unless given. */
  readonly blobs?: string;
  /** Issued by an authority; one of its own unless given. */
  readonly issued?: CertificateFiles;
}

/** A new folder; one that has a ledger is never written over. */
export async function newCoordinatorFolder(
  path: string,
  { spec, run, ledger: address, bus, blobs, issued }: NewFolder,
): Promise<CoordinatorFolder> {
  if (hasLedger(path))
    throw new InputError(
      `${path} has a federation already; go on with it by --resume, or choose another --out.`,
    );
  if (address !== undefined && !/^postgres(ql)?:\/\//.test(address))
    throw new InputError(`A ledger elsewhere is postgres://USER@HOST/DATABASE, not ${address}.`);
  checkGroups(spec.data, "The spec");
  if (bus !== undefined) readNatsAddress(bus);
  if (blobs !== undefined) readS3Address(blobs);
  if (issued) readCertificate(issued);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (issued) setIssued(path, issued);
  else {
    const { cert, key } = newCertificate();
    writeDurably(at(path, "certificate.pem"), cert);
    writeDurably(at(path, "key.pem"), key);
  }
  const ledger = address === undefined ? await ledgerIn(path) : await postgresLedger(address, run);
  await ledger.setValue("run", run);
  await ledger.setValue("spec", JSON.stringify(spec));
  await ledger.setValue("release", ownRelease);
  if (bus !== undefined) await ledger.setValue("bus", bus);
  if (blobs !== undefined) await ledger.setValue("blobs", blobs);
  await ledger.close();
  if (address !== undefined) writeDurably(at(path, "ledger.json"), JSON.stringify({ address, run }));
  return openCoordinatorFolder(path);
}

/** The folder of a federation that was begun. */
export async function openCoordinatorFolder(path: string): Promise<CoordinatorFolder> {
  if (!hasLedger(path) && existsSync(at(path, "joined.json")))
    throw new InputError(
      `${path} is the folder of a site; only a coordinator's has places and a ledger. The site goes on with pliant federate join --resume ${path} --data FILE.`,
    );
  if (!hasLedger(path))
    throw new InputError(
      `${path} has no federation; start one with pliant federate serve SPEC --out ${path}.`,
    );
  const ledger = await ledgerIn(path);
  const [run, spec] = [await ledger.value("run"), await ledger.value("spec")];
  if (run === undefined || spec === undefined)
    throw new InputError(`${path} was left before its federation began; remove it and start again.`);
  const store = await ledger.value("blobs");
  const text = readIfThere(at(path, "certificate.json"));
  const issued = text && certificateFiles.parse(JSON.parse(text.toString()));
  return {
    path,
    ledger,
    run,
    release: await ledger.value("release"),
    bus: await ledger.value("bus"),
    // Each federation has a place of its own in a store.
    blobs: () =>
      store === undefined ? folderBlobs(at(path, "blobs")) : s3Blobs(inRun(readS3Address(store), run)),
    spec: checkSpec(JSON.parse(spec), path),
    issued,
    certificate: () =>
      issued
        ? readCertificate(issued)
        : {
            cert: readFileSync(at(path, "certificate.pem"), "utf8"),
            key: readFileSync(at(path, "key.pem"), "utf8"),
          },
    setListens: (given) => writeDurably(at(path, "listens.json"), JSON.stringify(given)),
    listens: () => {
      const text = readIfThere(at(path, "listens.json"));
      return text && listens.parse(JSON.parse(text.toString()));
    },
    writeReport: (name, text) => writeDurably(at(path, name), text),
    discard: () => {
      for (const name of made) rmSync(at(path, name), { force: true });
      for (const empty of [at(path, "blobs"), path])
        if (existsSync(empty) && readdirSync(empty).length === 0) rmdirSync(empty);
    },
  };
}
