// The places of a federation: who is invited to them, who has taken them, and who is still missing.
import { randomBytes } from "node:crypto";
import { InputError } from "@pliant/core";
import { encodeCode } from "../embedded/index.js";
import type { LedgerSite } from "../ports/ledger.js";
import type { FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import { openCoordinatorFolder } from "./coordinator-folder.js";

/** A join code for one site, to be used once. */
export async function invite(
  out: string,
  site: string,
  { host, hours = 72 }: { readonly host?: string; readonly hours?: number } = {},
): Promise<string> {
  if (!/^[\p{L}\p{N}_.-]{1,64}$/u.test(site))
    throw new InputError(`"${site}" cannot name a site: letters, digits, points, dashes, at most 64.`);
  const folder = await openCoordinatorFolder(out);
  try {
    const listens = folder.listens();
    if (!listens) throw new InputError(`The coordinator of ${out} has never listened; start it first.`);
    const sites = await folder.ledger.sites();
    const known = sites.find((one) => one.site === site);
    const { number } = folder.spec.sites;
    if (known?.key)
      throw new InputError(
        `${site} has joined already, and goes on from its folder by pliant federate join --resume; ${ifLost(site, sites, folder.spec)}.`,
      );
    if (!known && sites.length >= number)
      throw new InputError(
        `All ${number} places are taken: ${sites.map((one) => one.site).join(", ")}; --revoke takes one back.`,
      );
    const secret = randomBytes(24).toString("base64url");
    await folder.ledger.invite(site, digest(secret), Date.now() + hours * 3_600_000);
    const { port, fingerprint, run } = listens;
    return encodeCode({ host: host ?? listens.host, port, fingerprint, run, site, secret });
  } finally {
    await folder.ledger.close();
  }
}

/** Takes a place back: of an invitation that nobody used, or of a site that joined, until all have. */
export async function revoke(out: string, site: string): Promise<void> {
  const { ledger, spec } = await openCoordinatorFolder(out);
  try {
    const sites = await ledger.sites();
    const known = sites.find((one) => one.site === site);
    if (!known)
      throw new InputError(
        `${site} is not invited; invited are ${sites.map((one) => one.site).join(", ") || "none"}.`,
      );
    if (!(await ledger.revoke(site, spec.sites.number)))
      throw new InputError(`${site} keeps its place: ${settled(spec)}.`);
  } finally {
    await ledger.close();
  }
}

const settled = ({ sites: { number, least } }: FederationSpec): string =>
  `all ${number} sites have joined and know with whom they sum; without it the others go on while at least ${least} are there`;

const ifLost = (site: string, sites: readonly LedgerSite[], spec: FederationSpec): string =>
  begins(sites, spec)
    ? `if that is lost, its place cannot be given anew: ${settled(spec)}`
    : `if that is lost, take its place back with --site ${site} --revoke and invite it anew`;

const begins = (sites: readonly LedgerSite[], spec: FederationSpec): boolean =>
  sites.filter(({ key }) => key !== null).length >= spec.sites.number;

/** Whom a federation that has not begun waits for; nothing once all have joined. */
export function whoIsMissing(sites: readonly LedgerSite[], spec: FederationSpec): string | undefined {
  if (begins(sites, spec)) return undefined;
  const { number } = spec.sites;
  const invited = sites.filter(({ key }) => key === null).map(({ site }) => site);
  const missing = [
    ...(invited.length > 0 ? [`invited and not joined: ${invited.join(", ")}`] : []),
    ...(number > sites.length ? [`not invited: ${number - sites.length}`] : []),
  ];
  return `It begins when all ${number} sites have joined; ${sites.length - invited.length} have. ${sentence(missing.join("; "))}`;
}

const sentence = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}.`;
