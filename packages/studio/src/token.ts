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

/** Known to the pages of this server alone: another site can send a request here, and cannot read this first. */
export function pageToken(): { readonly token: string; readonly guard: MiddlewareHandler } {
  const token = newToken();
  return {
    token,
    guard: async (c, next) => {
      if (!same(c.req.header(pageHeader), token))
        throw refuse(
          403,
          "Only the page of this Studio may change or ask anything; open it anew if the Studio was started again.",
        );
      await next();
    },
  };
}
