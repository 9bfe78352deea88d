// Who may talk to the server, and what a browser may do with its answers. On this machine the page has no password: it
// is safe because only pages of this very server can use it. Where others can reach it, it asks for a token (token.ts).
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { MiddlewareHandler } from "hono";
import { refuse } from "./places.js";

export const loopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);

const everywhere = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** The name in a Host header or an address, without port and brackets. */
function nameOf(host: string): string | undefined {
  try {
    const { hostname: name, username, password, pathname } = new URL(`http://${host}`);
    if (username || password || pathname !== "/") return undefined;
    return name.replace(/^\[|\]$/g, "").toLowerCase();
  } catch {
    return undefined;
  }
}

/**
 * Names this server answers to. A page of another site can have its own name point here (DNS rebinding), so a name that
 * was not told is refused; addresses are not names, and are fine where the server listens on all of them.
 */
export function answersTo(told: string): (host: string | undefined) => boolean {
  return (host) => {
    const name = host === undefined ? undefined : nameOf(host);
    if (name === undefined) return false;
    if (loopback(name) || name === nameOf(isIP(told) === 6 ? `[${told}]` : told)) return true;
    return everywhere(told) && (isIP(name) !== 0 || name === hostname().toLowerCase());
  };
}

/** Scripts, styles and data from here only; nothing inline, nothing framed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Every answer has them, a refusal too. */
export const sealed: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
};

const reads = new Set(["GET", "HEAD"]);

export function guard(host: string): MiddlewareHandler {
  const ours = answersTo(host);
  return async (c, next) => {
    const [to, origin, site] = ["host", "origin", "sec-fetch-site"].map((name) => c.req.header(name));
    if (!ours(to)) throw refuse(403, "This server does not answer to that name.");
    const write = !reads.has(c.req.method);
    const foreign = origin !== undefined && origin !== `http://${to}`;
    if (write && foreign) throw refuse(403, "Another site may not change anything here.");
    // What a link on another site may open is the page, not the data.
    const isData = write || c.req.path.startsWith("/api/");
    if (isData && site !== undefined && site !== "same-origin" && site !== "none")
      throw refuse(403, "Another site may not read or change anything here.");
    if (write && !c.req.header("content-type")?.startsWith("application/json"))
      throw refuse(403, "A change is asked for as application/json.");
    await next();
  };
}
