// The places of a federation: who is invited to them, who has taken them, and who is still missing.
import { randomBytes } from "node:crypto";
import { InputError } from "@pliant/core";
import {
  type CertificateFiles,
  encodeCode,
  isFor,
  type JoinCode,
  namesIn,
  readCertificate,
} from "../embedded/index.js";
import type { LedgerSite } from "../ports/ledger.js";
import { siteName } from "../protocol/index.js";
import { beginOf, type FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import { type Listens, openCoordinatorFolder } from "./coordinator-folder.js";

/** A join code for one site, to be used once. */
export async function invite(
  out: string,
  site: string,
  { host, hours = 72 }: { readonly host?: string; readonly hours?: number } = {},
): Promise<string> {
  if (!siteName.safeParse(site).success)
    throw new InputError(
      `"${site}" cannot name a site: a letter or digit, then letters, digits, points and dashes, at most 64.`,
    );
  const folder = await openCoordinatorFolder(out);
  try {
    const listens = folder.listens();
    if (!listens) throw new InputError(`The coordinator of ${out} has never listened; start it first.`);
    const sites = (await folder.ledger.sites()).filter(({ removed }) => removed === undefined);
    const known = sites.find((one) => one.site === site);
    const { number } = folder.spec.sites;
    if (known?.key)
      throw new InputError(
        `${site} has joined already, and goes on from its folder by pliant federate join --resume; if that is lost, remove it with pliant federate remove ${out} --site ${site} and invite it anew.`,
      );
    if (!known && sites.length >= number)
      throw new InputError(
        `All ${number} places are taken: ${sites.map((one) => one.site).join(", ")}; pliant federate remove frees one.`,
      );
    const { port, run } = listens;
    const address = addressOf(listens, folder.issued, host ?? listens.host);
    const secret = randomBytes(24).toString("base64url");
    await folder.ledger.invite(site, digest(secret), Date.now() + hours * 3_600_000);
    return encodeCode({ ...address, port, run, site, secret });
  } finally {
    await folder.ledger.close();
  }
}

/** The address in a code, and how the coordinator is known there. */
function addressOf(
  { fingerprint }: Listens,
  issued: CertificateFiles | undefined,
  host: string,
): Pick<JoinCode, "host" | "fingerprint"> {
  if (!issued) return { host, fingerprint };
  const { cert } = readCertificate(issued);
  if (!isFor(cert, host))
    throw new InputError(
      `The certificate in ${issued.certificate} is not for ${host}; name a host that it is for with --host: ${namesIn(cert)}.`,
    );
  // The certificate may be renewed; its host stays.
  return { host };
}

/**
 * Takes a place back. An invitation that nobody used, or a site of a federation that has not begun, leaves no trace; later the
 * site is removed with a reason on the ledger, and the others go on without it.
 */
export async function remove(out: string, site: string, reason = "removed by the operator"): Promise<void> {
  const { ledger, spec } = await openCoordinatorFolder(out);
  try {
    const sites = (await ledger.sites()).filter(({ removed }) => removed === undefined);
    const known = sites.find((one) => one.site === site);
    if (!known)
      throw new InputError(
        `${site} is not invited; invited are ${sites.map((one) => one.site).join(", ") || "none"}.`,
      );
    const began = (await ledger.value("began")) !== undefined;
    if (!began || known.key === null) await ledger.revoke(site, Number.POSITIVE_INFINITY);
    else {
      await ledger.remove(site, reason);
      const left = Object.keys(await ledger.roster()).length;
      if (left < spec.sites.least)
        throw new InputError(
          `${site} is removed, and ${left} sites are left where a sum takes ${spec.sites.least}: invite another in its place.`,
        );
    }
  } finally {
    await ledger.close();
  }
}

const begins = (sites: readonly LedgerSite[], spec: FederationSpec): boolean =>
  sites.filter(({ key }) => key !== null).length >= beginOf(spec);

/** Whom a federation that has not begun waits for; nothing once all have joined. */
export function whoIsMissing(all: readonly LedgerSite[], spec: FederationSpec): string | undefined {
  // A site is removed, with a reason, only once it has begun.
  if (begins(all, spec) || all.some(({ removed }) => removed !== undefined)) return undefined;
  const sites = all;
  const number = beginOf(spec);
  const invited = sites.filter(({ key }) => key === null).map(({ site }) => site);
  const missing = [
    ...(invited.length > 0 ? [`invited and not joined: ${invited.join(", ")}`] : []),
    ...(number > sites.length ? [`not invited: ${number - sites.length}`] : []),
  ];
  return `It begins when ${number === spec.sites.number ? `all ${number}` : number} sites have joined; ${sites.length - invited.length} have. ${sentence(missing.join("; "))}`;
}

const sentence = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}.`;
