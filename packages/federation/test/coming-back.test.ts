// Coming back: a coordinator at another port, a site with its folder; and what neither may come back with.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { invite, join, remove, serve, status } from "@pliant/federation";
import { afterAll, expect, test } from "vitest";
import { csvOf, specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-coming-back-"));
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
  rmSync(folder, { recursive: true });
});

/** Serves, and says what it said, where it listens and how it is stopped. */
async function serving(options: Parameters<typeof serve>[0]) {
  const stop = new AbortController();
  const said: string[] = [];
  let over: Promise<unknown> = Promise.resolve();
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    over = serve({
      ...options,
      say: (what) => said.push(what),
      onListening: resolve,
      signal: stop.signal,
    });
    over.catch(reject);
  });
  const end = () => stop.abort(new Error("stopped"));
  ends.push(end);
  const stopped = () => {
    end();
    return over.catch(() => {});
  };
  return { said, port, over, stopped };
}

const until = async (so: () => boolean): Promise<void> => {
  while (!so()) await new Promise((resolve) => setTimeout(resolve, 20));
};

test("a taken port is a sentence, ends the coordinator and leaves nothing; it just works with another", async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as { port: number };
  const out = path(folder, "taken");
  await expect(serve({ spec: specOf(), out, port })).rejects.toThrow(`Port ${port} is in use`);
  expect(readdirSync(folder)).not.toContain("taken");
  const first = await serving({ spec: specOf(), out });
  await first.stopped();
  // What was begun stays.
  await expect(serve({ out, port })).rejects.toThrow(`Port ${port} is in use`);
  expect((await status(out)).name).toBe("test");
  holder.close();
});

test("sites say each round, that the coordinator is gone, and go on where it is by then; no other table does", async () => {
  const spec = specOf({ sites: { number: 3 }, training: { rounds: 2, communicationRounds: 2 } });
  const tables = tablesOf(3);
  const out = path(folder, "moved");
  const first = await serving({ spec, out });
  await until(() => first.said.length > 0);
  expect(first.said).toEqual(["It begins when all 3 sites have joined; 0 have. Not invited: 3."]);
  const names = ["a", "b", "c"];
  const files = names.map((name, i) => {
    const file = path(folder, `${name}.csv`);
    writeFileSync(file, csvOf(tables[i], spec));
    return file;
  });
  const said: string[][] = names.map(() => []);
  const leaving = new AbortController();
  const early = [];
  for (const i of [0, 1])
    early.push(
      join({
        code: await invite(out, names[i]),
        data: files[i],
        out: path(folder, names[i]),
        say: (what) => said[i].push(what),
        signal: leaving.signal,
      }).catch((error: Error) => error.message),
    );
  await until(() => first.said.length === 3);
  expect(first.said.slice(-1)[0]).toMatch(
    /^[ab] has joined\. It begins when all 3 sites have joined; 2 have\. Not invited: 1\.$/,
  );
  expect((await status(out)).missing).toBe("It begins when all 3 sites have joined; 2 have. Not invited: 1.");
  await first.stopped();
  await until(() => said.slice(0, 2).every((lines) => lines.some((line) => line.includes("is not reached"))));
  leaving.abort(new Error("told to leave"));
  expect(await Promise.all(early)).toEqual(["told to leave", "told to leave"]);

  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(first.port, "127.0.0.1", resolve));
  const second = await serving({ out, port: 0 });
  await until(() => second.said.length > 0);
  expect(second.said[0]).toContain(`--at 127.0.0.1:${second.port}`);
  const back = { data: files[0], out: path(folder, "a") };
  const [header, ...lines] = csvOf(tables[0], spec).trim().split("\n");
  const table = (...rows: string[]): string => {
    const file = path(folder, "other.csv");
    writeFileSync(file, [header, ...rows, ""].join("\n"));
    return file;
  };
  const other = (file: string) => join({ ...back, data: file });
  await expect(other(table(...lines.slice(0, 9)))).rejects.toThrow(
    "is not the table that this site joined with: 9 rows for 16.",
  );
  const swapped = lines.map((line) => line.replace(/no$|yes$/, (label) => (label === "no" ? "yes" : "no")));
  await expect(other(table(...swapped))).rejects.toThrow("its labels are others");
  await expect(other(table(`7,7,${lines[0].split(",")[2]}`, ...lines.slice(1)))).rejects.toThrow(
    "with: its features are others",
  );
  await expect(join({ ...back, at: "nowhere" })).rejects.toThrow('"nowhere" is not where a coordinator is');

  const at = `127.0.0.1:${second.port}`;
  const joining = [0, 1].map((i) =>
    join({ data: files[i], out: path(folder, names[i]), at, say: (what) => said[i].push(what) }),
  );
  const code = await invite(out, "c");
  joining.push(join({ code, data: files[2], out: path(folder, "c"), say: (what) => said[2].push(what) }));
  await Promise.all(joining);
  await second.over;
  holder.close();
  expect(said[2].filter((line) => line.startsWith("Round"))).toEqual([
    expect.stringMatching(/^Round 1 of 2: price \d\.\d{4}, relaxation \d\.\d{4}\.$/),
    expect.stringContaining("Round 2 of 2"),
  ]);
  await join({ ...back, say: (what) => said[0].push(what) });
  expect(said[0].at(-1)).toBe("test is over, and a has heard so.");
  await expect(invite(out, "a")).rejects.toThrow("remove it with pliant federate remove");
  await expect(remove(out, "a")).rejects.toThrow("a is removed, and 2 sites are left where a sum takes 3");
  await expect(status(path(folder, "a"))).rejects.toThrow("is the folder of a site");
});
