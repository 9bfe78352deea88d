// What a site asks the coordinator's server for, signed.
import { type Identity, ownRelease } from "../protocol/index.js";
import { hex } from "../sums/index.js";
import { blobText, joinText } from "./frames.js";

/** The body of a request to join; to look leaves the code as it is. */
export const joinBody = (
  { run, site, secret }: { readonly run: string; readonly site: string; readonly secret: string },
  identity: Identity,
  look: boolean,
): string =>
  JSON.stringify({
    site,
    secret,
    key: identity.key,
    signature: identity.sign(joinText(run, site, secret)),
    look,
    release: ownRelease,
  });

/** The header that lets a site read or write a blob. */
export const blobAuthorization = (
  run: string,
  site: string,
  identity: Identity,
  method: "GET" | "PUT",
  hash: string,
): string => `Pliant ${hex(Buffer.from(site))} ${identity.sign(blobText(run, site, method, hash))}`;
