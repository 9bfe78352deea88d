// The server over a real folder of runs, which is a new one for every test of a file that says so.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { RunList, RunSummary } from "../src/api.js";
import { type Serving, serveStudio } from "../src/index.js";
import { temporaryFolder, writeRun } from "./fixtures.js";

export let folder: ReturnType<typeof temporaryFolder>;
export let runs: string;
export let server: Serving;

export function serveEach(): void {
  beforeEach(async () => {
    folder = temporaryFolder();
    runs = join(folder.path, "runs");
    mkdirSync(runs);
    server = await serveStudio({ runs, port: 0, page: join(folder.path, "page") });
  });
  afterEach(async () => {
    await server.close();
    folder.remove();
  });
}

export async function get<T>(path: string, query: Record<string, string> | string[][] = {}): Promise<T> {
  const response = await fetch(`${server.url}api/${path}?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

export async function post(
  path: string,
  body: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${server.url}api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-pliant-page": server.pageToken },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

export const list = async (): Promise<readonly RunSummary[]> => (await get<RunList>("runs")).runs;

/** The report of a run that is finished. */
export const readReport = (): string =>
  readFileSync(join(writeRun(folder.path, "elsewhere"), "report.json"), "utf8");
