// Joining: what does not fit is a sentence before the code is used, and nothing is lost by it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { decodeCode, encodeCode, invite, join, remove, serve, status } from "@pliant/federation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { specOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-joining-"));
const out = path(folder, "coordinator");
const stop = new AbortController();
let serving: Promise<unknown>;
beforeAll(async () => {
  await new Promise<void>((resolve, reject) => {
    serving = serve({ spec: specOf(), out, onListening: () => resolve(), signal: stop.signal });
    serving.catch(reject);
  });
});
afterAll(async () => {
  stop.abort(new Error("stopped"));
  await serving.catch(() => {});
  rmSync(folder, { recursive: true });
});

let files = 0;
const table = (text: string): string => {
  const file = path(folder, `${files++}.csv`);
  writeFileSync(file, text);
  return file;
};
const good = "a,b,class\n1,2,no\n3,4,yes\n";

/** Joins, and stops once it is waiting for the others. */
async function joinAs(code: string, data: string, site = path(folder, `site-${files++}`)): Promise<string> {
  const leaving = new AbortController();
  const joining = join({ code, data, out: site, signal: leaving.signal }).catch(
    (error: Error) => error.message,
  );
  let over = false;
  const ended = () => {
    over = true;
  };
  joining.then(ended, ended);
  while (!over) {
    const { sites } = await status(out);
    if (sites.some(({ site: name, joined }) => joined && name === decodeCode(code).site))
      leaving.abort(new Error("told to leave"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return String(await joining);
}

describe("a table that does not fit is reported before the code is used", () => {
  test.each([
    ["a,c,class\n1,2,no\n", 'has no column "b"; did you mean'],
    ["a,b,class\n1,2,maybe\n", '"class" is "maybe"; the federation\'s classes are no, yes.'],
    [
      "a,b,class\n1,,no\n2,3,yes\n",
      'line 2: column "b" has a missing cell, and the spec lists no missing cells',
    ],
    ["a,b,class\n1,2,no\n2,1e39,yes\n", 'line 3: column "b" has 1e+39, which is too large.'],
    [
      "a,b,class\n1,x,no\n2,y,yes\n",
      'line 2: column "b" has "x" where a number is needed, and no number anywhere.',
    ],
    ["a,b,class\n1,0.5,no\n2,7,yes\n3,abc,no\n", 'line 4: column "b" has "abc" where a number is needed.'],
  ])("%j", async (text, sentence) => {
    const code = await invite(out, "north");
    const site = path(folder, `site-${files++}`);
    await expect(join({ code, data: table(text), out: site })).rejects.toThrow(sentence);
    expect((await status(out)).sites.find(({ site: name }) => name === "north")?.joined).toBe(false);
  });
});

describe("a code", () => {
  test("that is wrong, for another place, or old is refused", async () => {
    const code = decodeCode(await invite(out, "east"));
    const data = table(good);
    const attempt = (changed: object) => joinAs(encodeCode({ ...code, ...changed }), data);
    expect(await attempt({ secret: "x".repeat(32) })).toBe(
      "The join code for east is not right; ask for a new one.",
    );
    expect(await attempt({ site: "elsewhere" })).toBe(
      "The join code for elsewhere is not right; ask for a new one.",
    );
    expect(await attempt({ fingerprint: "0".repeat(64) })).toContain(
      "has another certificate than the join code names",
    );
    const old = await invite(out, "east", { hours: -1 });
    expect(await joinAs(old, data)).toBe("The join code for east has expired; ask for a new one.");
  });

  test("is used once, by whoever comes first; the same site may come again from its folder", async () => {
    const code = await invite(out, "south");
    const [data, site] = [table(good), path(folder, "south")];
    expect(await joinAs(code, data, site)).toBe("told to leave");
    expect(await joinAs(code, data)).toContain("The join code for south has been used. A site goes on from");
    expect(await joinAs(code, data, site)).toBe("told to leave");
    await expect(invite(out, "south")).rejects.toThrow(
      "south has joined already, and goes on from its folder by pliant federate join --resume; if that is lost, remove it with pliant federate remove",
    );
    // A code that differs in a letter is not the one.
    const altered = encodeCode({ ...decodeCode(code), secret: "x".repeat(32) });
    expect(await joinAs(altered, data, site)).toContain("This is not the join code that");
  });

  test("that nobody used is taken back, and so is a place whose folder is lost, until all have joined", async () => {
    await invite(out, "table.csv");
    await remove(out, "table.csv");
    await expect(remove(out, "table.csv")).rejects.toThrow("table.csv is not invited; invited are");
    const code = await invite(out, "lost");
    const [data, site] = [table(good), path(folder, "lost")];
    expect(await joinAs(code, data, site)).toBe("told to leave");
    await remove(out, "lost");
    const anew = await invite(out, "lost");
    expect(await joinAs(code, data)).toContain("The join code for lost is not right");
    expect(await joinAs(anew, data)).toBe("told to leave");
    // The identity that had the place has it no more.
    await expect(join({ data, out: site })).rejects.toThrow("lost has another identity here");
    await remove(out, "lost");
  });

  test("is given for as many places as there are", async () => {
    for (const name of ["north", "east", "west"]) await invite(out, name);
    await expect(invite(out, "fifth")).rejects.toThrow(
      "All 4 places are taken: north, east, south, west; pliant federate remove frees one.",
    );
    await expect(invite(out, "no/site")).rejects.toThrow('"no/site" cannot name a site');
  });
});

test("a folder that has a federation is not written over", async () => {
  await expect(serve({ spec: specOf(), out })).rejects.toThrow(
    "has a federation already; go on with it by --resume",
  );
});
