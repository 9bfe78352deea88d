// pliant studio: prints where it is, answers there, ends at a signal.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { studio } from "../src/studio.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pliant-cli-studio-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test("serves the page and the runs of a folder until it is interrupted", async () => {
  mkdirSync(join(folder, "first"));
  writeFileSync(join(folder, "first", "run.json"), JSON.stringify({ command: "demo", seed: 7 }));
  const said = new Promise<string>((done) => {
    vi.spyOn(console, "log").mockImplementation((text: string) => done(text));
  });
  const running = studio(["--port", "0", "--runs", folder]);
  const address = /http:\/\/localhost:\d+\//.exec(await Promise.race([said, running.then(() => "")]))?.[0];
  expect(address).toBeDefined();
  const { runs } = (await (await fetch(`${address}api/runs`)).json()) as {
    runs: { name: string; seed: string }[];
  };
  expect(runs).toMatchObject([{ name: "first", seed: "7" }]);
  expect(await (await fetch(address as string)).text()).toContain("<title>Pliant Studio</title>");
  process.emit("SIGINT");
  await running;
  await expect(fetch(address as string)).rejects.toThrow();
});

test("ends with the shell that npm started it in, which forwards no signal", async () => {
  const own = Object.getOwnPropertyDescriptor(process, "ppid")!;
  const said = new Promise<string>((done) => {
    vi.spyOn(console, "log").mockImplementation((text: string) => done(text));
  });
  vi.stubEnv("npm_command", "exec");
  try {
    const running = studio(["--port", "0", "--runs", folder]);
    const address = /http:\/\/localhost:\d+\//.exec(await said)![0];
    expect((await fetch(address)).status).toBe(200);
    // The shell is gone, and its child another's.
    Object.defineProperty(process, "ppid", { get: () => own.value + 1, configurable: true });
    await running;
    await expect(fetch(address)).rejects.toThrow();
  } finally {
    Object.defineProperty(process, "ppid", own);
    vi.unstubAllEnvs();
  }
});

test.each(["-1", "99999", "http", ""])("--port=%s is refused in a sentence", async (port) => {
  await expect(studio([`--port=${port}`, "--runs", folder])).rejects.toThrow(
    /^--port must be a whole number from 0 to 65535/,
  );
});

test("an occupied port is named", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => other.once("listening", done));
  const { port } = other.address() as { port: number };
  await expect(studio(["--port", String(port), "--runs", folder])).rejects.toThrow(`port ${port} is in use`);
  other.close();
});

test("an address of another machine is refused with a message", async () => {
  await expect(studio(["--port", "0", "--host", "203.0.113.1", "--runs", folder])).rejects.toThrow(
    /not one of this machine/,
  );
});
