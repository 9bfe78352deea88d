// What a site insists on, whatever it is told, and what a stranger can make a coordinator do.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { InputError } from "@pliant/core";
import {
  certificateFingerprint,
  checkPolicy,
  decodeCode,
  encodeCode,
  encodeMessage,
  type FederationSpecGiven,
  join,
  ownRelease,
  type Policy,
  parseToCoordinator,
  parseToSite,
  rosterCode,
  serve,
  stricter,
  termsOf,
} from "@pliant/federation";
import { afterAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { rosterKeeper } from "../src/service/roster-keeper.js";
import { frameOf } from "../src/sessions/frames.js";
import { served, siteHere } from "./here.js";
import { specOf } from "./problem.js";
import { certificate } from "./served.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-floors-"));
afterAll(() => rmSync(folder, { recursive: true }));
const plain = { sums: { kind: "plain" as const }, sites: { number: 3, least: 1 } };
let count = 0;

/** Invited to such a federation, with such floors; what it is told. */
async function joining(more: Partial<FederationSpecGiven>, policy: Policy, yes = true) {
  const spec = specOf(more as Parameters<typeof specOf>[0]);
  const home = path(folder, String(count++));
  const { stopped } = await served({ spec, out: path(home, "coordinator") });
  const terms: string[] = [];
  try {
    const site = await siteHere(home, spec)(path(home, "coordinator"), "a", 0, {
      policy,
      consent: async (told) => {
        terms.push(...told);
        return yes;
      },
    });
    const reason = await Promise.race([
      site.over.then(
        () => "finished",
        (error: Error) => error.message,
      ),
      new Promise<string>((resolve) => setInterval(() => site.said.length > 0 && resolve("joined"), 20)),
    ]);
    site.stop();
    await site.over.catch(() => {});
    return { reason, terms, joined: existsSync(path(site.out, "joined.json")) };
  } finally {
    await stopped();
  }
}

describe("a spec below a site's floors is refused before the code is used", () => {
  test.each<[string, Partial<FederationSpecGiven>, Policy, string]>([
    ["sums in the open", plain as never, { secureOnly: true }, "sums are taken in the open"],
    ["too few sites", {}, { least: 5 }, "the federation has 4 sites, and its policy is least 5"],
    ["no privacy", {}, { epsilon: 3 }, "its records are promised no privacy, and its policy is epsilon 3"],
  ])("%s", async (_, more, policy, why) => {
    const { reason, terms, joined } = await joining(more, policy);
    expect(reason).toContain(why);
    expect(reason).toContain("Nothing was sent.");
    expect(terms).toEqual([]);
    expect(joined).toBe(false);
  });
});

test("a person reads the terms first, and may say no", async () => {
  const { reason, terms, joined } = await joining(plain as never, {}, false);
  expect(terms.join()).toContain("Sums are taken IN THE OPEN: the coordinator sees every update and loss");
  expect(reason).toBe("This site did not join; the code can still be used.");
  expect(joined).toBe(false);
  expect((await joining({}, { least: 4 })).reason).toBe("joined");
  expect(termsOf(specOf(), { least: 4 }, "a").join()).toContain("sums over at least 4 of 4 sites");
});

test("terms say what is asked of this site and of others, and what a price may make of one of them", () => {
  const sites = { number: 5, loss: "mean + 5", levels: { a: "mean" }, cost: { alpha: 1e6 } };
  const spec = specOf({ sites, sums: { bound: 1000 } } as never);
  const terms = termsOf(spec, {}, "a", "nats://elsewhere:4222").join("\n");
  expect(terms).toContain("The loss of a must be at most mean; relaxing this by u costs 1000000 u²/2.");
  expect(terms).toContain("one site can make up 100 % of a sum over 3.");
  expect(terms).toContain("An update moves a coordinate by at most 1000;");
  expect(terms).toContain("Messages travel through the server nats://elsewhere:4222");
  const others = termsOf(spec, {}, "b").join("\n");
  expect(others).toContain("The loss of b must be at most mean + 5;");
  expect(others).toContain("Others have other levels: a mean; all others mean + 5.");
  const capped = specOf({ sites: { ...sites, priceCap: 1 } } as never);
  expect(termsOf(capped, {}, "b").join()).toContain("allows (1), one site can make up 67 % of a sum over 3.");
});

test("terms list what sums tell by: categories and groups", () => {
  const data = {
    ...{ features: ["a", "ward"], categories: { ward: ["x", "y"] }, label: "class", classes: ["no", "yes"] },
    groups: { column: "patient", values: ["P-2017", "P-2018"] },
  };
  const terms = termsOf(specOf({ data, sites: { number: 3 } } as never), {}, "a").join("\n");
  expect(terms).toContain("Categories of ward: x, y.");
  expect(terms).toContain("Sums reveal losses, labels and counts of rows by patient: P-2017, P-2018.");
});

test("terms have the requirements by group, and groups that no row can have are refused", async () => {
  const groups = { column: "sex", values: ["F", "M"], loss: "mean + 0.02", rate: { of: "truePositive" } };
  const data = { features: ["a"], label: "class", classes: ["no", "yes"], groups };
  const terms = termsOf(specOf({ data, sites: { number: 3, loss: undefined } } as never), {}, "a").join("\n");
  expect(terms).not.toContain("No site has a requirement");
  expect(terms).toContain(
    "The loss of each group by sex must be at most mean + 0.02 over all sites; relaxing",
  );
  expect(terms).toContain("keep the true positive rate of class yes within 0.05 between groups.");
  const misspelt = { ...data, features: ["a", "sex"], categories: { sex: ["f", "m"] } };
  const spec = specOf({ data: misspelt, sites: { number: 3, loss: undefined } } as never);
  await expect(serve({ spec, out: path(folder, "misspelt") })).rejects.toThrow(
    'data.groups.values has "F", and "sex" has the categories f, m.',
  );
});

test("a coordinator that names another server for messages once the site has agreed is refused", async () => {
  const spec = specOf();
  const answers = [{}, { bus: "nats://127.0.0.1:45999" }];
  const server = createServer(certificate, (request, response) => {
    request.resume();
    const answer = { run: "r", spec, release: ownRelease, ...answers.shift() };
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const fingerprint = certificateFingerprint(certificate.cert);
  const code = encodeCode({
    host: "127.0.0.1",
    port,
    fingerprint,
    run: "r",
    site: "a",
    secret: "s".repeat(24),
  });
  const data = path(folder, "bus.csv");
  writeFileSync(data, "a,b,class\n1,2,no\n3,4,yes\n");
  const terms: string[] = [];
  const consent = async (told: readonly string[]) => {
    terms.push(...told);
    return true;
  };
  await expect(join({ code, data, out: path(folder, "bus"), consent })).rejects.toThrow(
    "gave another spec, or another server for messages, than was agreed to",
  );
  expect(terms.at(-1)).toContain(path(folder, "bus", "spec.json"));
  server.close();
});

test("an answer without an end is cut off", async () => {
  const server = createServer(certificate, (_, response) => {
    const piece = Buffer.alloc(1 << 20, 32);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const fingerprint = certificateFingerprint(certificate.cert);
  const code = encodeCode({
    host: "127.0.0.1",
    port,
    fingerprint,
    run: "r",
    site: "a",
    secret: "s".repeat(24),
  });
  const data = path(folder, "endless.csv");
  writeFileSync(data, "a,b,class\n1,2,no\n");
  await expect(join({ code, data, out: path(folder, "endless") })).rejects.toThrow(
    "it answers with more than 16777216 bytes",
  );
  server.closeAllConnections();
  server.close();
});

test.each([
  ["a bound with 60,000 digits", { sites: { number: 4, loss: `mean + ${"1".repeat(60_000)}x` } }],
  [
    "images of 10¹⁸ pixels",
    { data: { images: { width: 1e9, height: 1e9, channels: 1 }, classes: ["no", "yes"] } },
  ],
  ["a model that no memory has", { model: { hidden: [1e9, 1e9] } }],
])("a spec with %s is refused at once", (_, more) => {
  expect(() => specOf(more as never)).toThrow(InputError);
});

test.each(["no\nSums are secure.", "no\u001b[8m", "\u202eon"])(
  "terms are what a terminal shows: %j in a spec is refused",
  (written) => {
    const classes = [written, "yes"];
    const data = { features: ["a", "b"], label: "class", classes };
    expect(() => specOf({ data })).toThrow("has control characters");
    expect(() =>
      specOf({ data: { ...data, classes: ["no", "yes"], categories: { [written]: ["x"] } } }),
    ).toThrow("has control characters");
  },
);

test("control characters from others do not reach this terminal", () => {
  const id = { run: "r", exchange: 0, attempt: 1 };
  const reason = "\r\u001b[2Kb is excluded.\nAll is well";
  const said = parseToCoordinator(encodeMessage({ kind: "refuse", ...id, session: "1", reason }));
  expect(said).toMatchObject({ reason: "\\u000d\\u001b[2Kb is excluded.\\u000aAll is well" });
  expect(() => parseToSite(JSON.stringify({ version: reason }))).toThrow("\\u001b[2K");
});

test("a roster with another code than the policy's is refused, also one that the site knows", () => {
  const file = path(folder, "roster.json");
  const roster = { a: "aa".repeat(32), b: "bb".repeat(32) };
  const keeper = (policy: Policy) =>
    rosterKeeper(file, { run: "r", site: "a", key: roster.a, policy, say: () => {} });
  keeper({}).take(roster);
  expect(() => keeper({ roster: "0000-1111-2222-3333-4444" }).take(roster)).toThrow(
    "this site takes part only with 0000-1111-2222-3333-4444; it stops.",
  );
  expect(keeper({ roster: rosterCode("r", roster) }).take(roster)).toEqual({ index: 0 });
});

test("the stricter of two policies holds, and an invalid file is answered with a sentence", () => {
  expect(stricter({ least: 3, epsilon: 5 }, { least: 4, epsilon: 9, secureOnly: true })).toEqual({
    ...{ secureOnly: true, least: 4, epsilon: 5 },
  });
  expect(() => checkPolicy({ leats: 3 }, "floors.yaml")).toThrow(
    /^floors.yaml: .*it can have secureOnly, least/,
  );
});

describe("names are names", () => {
  const code = {
    ...{ host: "127.0.0.1", port: 1, fingerprint: "a".repeat(64), run: "r", secret: "s".repeat(24) },
    site: "x",
  };
  test.each(["x/../..", "..", ".hidden", "", "a b", "x\u0000y", "a".repeat(65)])("not %j", (site) => {
    expect(() => decodeCode(encodeCode({ ...code, site }))).toThrow("This is not a join code");
  });
  test("nor is a run a path", () => {
    expect(() => decodeCode(encodeCode({ ...code, run: "../x" }))).toThrow("This is not a join code");
    expect(decodeCode(encodeCode(code)).site).toBe("x");
  });
});

test("a site that takes no newcomers stops at one, and at another identity of a member", () => {
  const roster = { a: "aa".repeat(32), b: "bb".repeat(32), c: "cc".repeat(32) };
  const keeper = rosterKeeper(path(folder, "pinned.json"), {
    ...{ run: "r", site: "a", key: roster.a, policy: { roster: true as const }, say: () => {} },
  });
  keeper.take(roster);
  for (const newer of [
    { ...roster, sybil: "dd".repeat(32) },
    { ...roster, b: "dd".repeat(32) },
  ])
    expect(() => keeper.take(newer)).toThrow("This site takes part with no newcomers; it stops.");
  const { b: _, ...fewer } = roster;
  expect(keeper.take(fewer)).toEqual({ index: 0 });
});

test("nor does the reason for which a coordinator refuses a connection", () => {
  const refused = frameOf('{"frame":"refused","why":"gone\\u001b[2J"}');
  expect(refused).toEqual({ frame: "refused", why: "gone\\u001b[2J" });
});

test("the code of a roster changes with any name, key or run in it, and with nothing else", () => {
  const roster = { a: "aa".repeat(32), b: "bb".repeat(32) };
  const codes = [
    rosterCode("r", roster),
    rosterCode("s", roster),
    rosterCode("r", { ...roster, b: "bc".repeat(32) }),
    rosterCode("r", { ...roster, c: "cc".repeat(32) }),
  ];
  expect(new Set(codes).size).toBe(4);
  expect(rosterCode("r", { b: roster.b, a: roster.a })).toBe(codes[0]);
  expect(codes[0]).toMatch(/^[0-9a-f]{4}(-[0-9a-f]{4}){7}$/);
});

test("a stranger is cut off at 64 kB, before its message is whole", async () => {
  const out = path(folder, "limits");
  const { port, stopped } = await served({ spec: specOf(), out });
  const before = process.memoryUsage().rss;
  const cut = await Promise.all(
    Array.from(
      { length: 10 },
      () =>
        new Promise<boolean>((resolve) => {
          const socket = new WebSocket(`wss://127.0.0.1:${port}`, { rejectUnauthorized: false });
          socket.on("error", () => {});
          socket.on("open", () => {
            // A message of 4 MB in pieces, never ended.
            const piece = Buffer.alloc(16 << 10);
            const more = (left: number) => {
              if (left === 0 || socket.readyState !== WebSocket.OPEN) return;
              socket.send(piece, { fin: false, binary: true }, () => more(left - 1));
            };
            more(256);
          });
          socket.on("close", () => resolve(true));
        }),
    ),
  );
  expect(cut).toEqual(new Array(10).fill(true));
  expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
  await stopped();
});
