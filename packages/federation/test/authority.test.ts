// A coordinator whose certificate an authority issued: sites trust it for its host, and nobody else's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { decodeCode, encodeCode, invite, join, serve } from "@pliant/federation";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Certificate, type CertificateContent, makeCertificate } from "../src/embedded/certificate.js";
import { csvOf, specOf, tablesOf } from "./problem.js";

const folder = mkdtempSync(path(tmpdir(), "pliant-authority-"));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, { cert, key }: Certificate) => {
  const files = { certificate: path(folder, `${name}.pem`), key: path(folder, `${name}-key.pem`) };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key);
  return files;
};
const authority = makeCertificate({ name: "hospitals", authority: true, days: 1 });
const issuer = { name: "hospitals", key: authority.key };
const issued = (name: string, content: Partial<CertificateContent> = {}) =>
  written(name, makeCertificate({ name, hosts: ["localhost"], issuer, days: 1, ...content }));

const spec = specOf({ training: { rounds: 2, communicationRounds: 1 } });
const tables = tablesOf(spec.sites.number);
const data = (i: number): string => {
  const file = path(folder, `${i}.csv`);
  writeFileSync(file, csvOf(tables[i], spec));
  return file;
};

describe("a certificate from an authority", () => {
  const out = path(folder, "coordinator");
  let stop: AbortController;
  let serving: ReturnType<typeof serve>;
  const start = (again: boolean, certificate = issued("first")) => {
    stop = new AbortController();
    return new Promise<void>((resolve, reject) => {
      serving = serve({
        ...(!again && { spec }),
        ...{ out, issued: certificate, signal: stop.signal, onListening: () => resolve() },
      });
      serving.catch(reject);
    });
  };
  beforeAll(() => start(false));
  afterAll(async () => {
    stop.abort(new Error("stopped"));
    await serving.catch(() => {});
  });
  const attempt = (code: string, ca: string | undefined) =>
    join({ code, data: data(0), out: mkdtempSync(path(folder, "site-")), ca });

  test("is not pinned by codes, which must name a host that it is for", async () => {
    await expect(invite(out, "north", { host: "127.0.0.1" })).rejects.toThrow(
      "is not for 127.0.0.1; name a host that it is for with --host: DNS:localhost.",
    );
    expect(decodeCode(await invite(out, "north", { host: "localhost" })).fingerprint).toBeUndefined();
  });

  test("is refused by sites that do not know the authority, or know another", async () => {
    const code = await invite(out, "north", { host: "localhost" });
    const another = makeCertificate({ name: "hospitals", authority: true, days: 1 });
    for (const ca of [undefined, another.cert])
      await expect(attempt(code, ca)).rejects.toThrow(/is not trusted: .*nothing was sent\./);
  });

  test("is refused for another host, although the authority issued it", async () => {
    const code = await invite(out, "north", { host: "localhost" });
    const { fingerprint: _, ...elsewhere } = { ...decodeCode(code), host: "127.0.0.1" };
    await expect(attempt(encodeCode(elsewhere), authority.cert)).rejects.toThrow("is not trusted");
  });

  test("is taken by sites that know the authority, also once it was renewed in the middle of a run", async () => {
    const names = ["north", "east", "south", "west"];
    const codes = new Map<string, string>();
    for (const name of names) codes.set(name, await invite(out, name, { host: "localhost" }));
    let waiting = 0;
    const take = (name: string, i: number) =>
      join({
        ...{ code: codes.get(name)!, data: data(i), out: path(folder, name), ca: authority.cert },
        say: () => waiting++,
      });
    const joining = names.slice(0, 3).map(take);
    await vi.waitUntil(() => waiting >= 3, { timeout: 60_000 });
    stop.abort(new Error("renewed"));
    await serving.catch(() => {});
    await start(true, issued("second"));
    joining.push(take("west", 3));
    const reports = await Promise.all(joining);
    const { finished, model } = await serving;
    expect(finished).toEqual({ sites: names.length, of: names.length });
    for (const report of reports) expect(report.model).toBe(model);
  });
});

describe("files that do not go together", () => {
  const attempt = (certificate: string, key: string) =>
    serve({ spec, out: path(folder, "never"), issued: { certificate, key } });

  test("are told before a federation begins", async () => {
    const [one, other] = [issued("one"), issued("other")];
    await expect(attempt(one.certificate, other.key)).rejects.toThrow("is not the key of the certificate in");
    await expect(attempt(one.key, one.key)).rejects.toThrow("has no certificate as PEM.");
    await expect(attempt(one.certificate, path(folder, "missing.pem"))).rejects.toThrow("there is no file");
    await expect(attempt(one.certificate, folder)).rejects.toThrow("is a folder, and a file was expected.");
    const old = issued("old", { days: -1 });
    await expect(attempt(old.certificate, old.key)).rejects.toThrow("expired on");
  });

  test("a run whose sites pin its certificate keeps it", async () => {
    const out = path(folder, "pinned");
    const stop = new AbortController();
    const serving = new Promise<void>((resolve, reject) => {
      serve({ spec, out, signal: stop.signal, onListening: () => resolve() }).catch(reject);
    });
    await serving;
    stop.abort(new Error("stopped"));
    const again = serve({ out, issued: issued("late") });
    await expect(again).rejects.toThrow("trust the certificate that it began with");
  });
});
