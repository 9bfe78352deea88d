// A device that is chosen for a person, where the better one does not open: one sentence says so.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "@pliant/engine/device";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What is said while `auto` is opened, and what was. */
async function opened(plugin: string): Promise<{ name: string; said: string[] }> {
  vi.stubEnv("PLIANT_PJRT_PLUGIN", plugin);
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  warn.mockClear();
  const backend = await open("auto");
  await backend.close();
  return { name: backend.name, said: warn.mock.calls.map(([words]) => String(words)) };
}

test("an invalid plugin is named with its replacement, once", async () => {
  const plugin = join(mkdtempSync(join(tmpdir(), "pliant-plugin-")), "plugin.so");
  writeFileSync(plugin, "not a library");
  const { name, said } = await opened(plugin);
  expect(name).toBe("onnx");
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(
    /^The XLA plugin \S+\/plugin\.so does not open \([^\n]+[^.]\)\. Device "auto" uses the processor instead; pliant doctor says what to do\.$/,
  );
  expect((await opened(plugin)).said).toEqual([]);
});

test("a machine without a plugin gets no warning", async () => {
  vi.stubEnv("PATH", "");
  const { said } = await opened("");
  expect(said).toEqual([]);
});
