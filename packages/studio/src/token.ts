// A server that others can reach asks for a token: once in the address, from then on in a cookie that no script can read.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { refuse } from "./places.js";

export const newToken = (): string => randomBytes(18).toString("base64url");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** However much of it is right, a wrong one takes as long. */
const same = (given: string | undefined, token: string): boolean =>
  given !== undefined && timingSafeEqual(digest(given), digest(token));

/** Cookies know no ports: two servers of one machine keep theirs apart by name. */
const cookieFor = (c: Context): string => `pliant-${/:(\d+)$/.exec(c.req.header("host") ?? "")?.[1] ?? "80"}`;

export function tokenGuard(token: string): MiddlewareHandler {
  return async (c, next) => {
    const given = c.req.query("token");
    if (c.req.method === "GET" && c.req.path === "/" && same(given, token)) {
      setCookie(c, cookieFor(c), token, { httpOnly: true, sameSite: "Strict", path: "/" });
      // The address bar and the history need not keep it.
      return c.redirect("/");
    }
    if (!same(getCookie(c, cookieFor(c)), token))
      throw refuse(401, "This Studio asks for a token: open the whole address that pliant studio printed.");
    await next();
  };
}

const pageHeader = "x-pliant-page";

/**
 * What a page must send to change or ask anything. No answer of the server holds it: it stands in the part of the printed address that
 * browsers keep to themselves, so that neither another site nor another process of this machine can read it.
 */
export function pageGuard(token: string): MiddlewareHandler {
  return async (c, next) => {
    checkPage(c, token);
    await next();
  };
}

/** Refuses whoever did not open the printed address. */
export function checkPage(c: Context, token: string): void {
  if (!same(c.req.header(pageHeader), token))
    throw refuse(
      403,
      "This page may not change or ask anything, nor read rows of the data: open the whole address that pliant studio printed when it was started.",
    );
}
