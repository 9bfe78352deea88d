// What an operator watches: numbers for Prometheus (its text format, version 0.0.4), and one JSON object a line for logs. There
// is nothing of one site in them but when it was counted, and the ε that it says it has spent.
import { createServer } from "node:http";
import { InputError, PliantError } from "@pliant/core";
import type { LedgerRow } from "../ports/index.js";
import type { CoordinatorEffect } from "../protocol/index.js";
import type { Picture } from "../run/index.js";
import type { FederationSpec } from "../spec/spec.js";
import { roundsAfter } from "../spec/stages.js";

/** An attempt that came to nothing, a round that was given up, a site that was excluded. */
export type Fault = CoordinatorEffect & { readonly kind: "aborted" | "void" | "remove" };

/** Bytes that came in and went out. */
export interface Traffic {
  readonly in: number;
  readonly out: number;
}

export interface Metrics {
  committed(row: LedgerRow): void;
  fault(fault: Fault): void;
  picture(picture: Picture): void;
  /** As Prometheus reads it. */
  text(now: {
    readonly connected: readonly string[];
    readonly sites: number;
    readonly traffic: Traffic;
  }): string;
}

/** Begins with the rows that a ledger has; faults are counted from the start of the process. */
export function metricsOf(spec: FederationSpec, before: readonly LedgerRow[]): Metrics {
  const rows = [...before];
  const aborts = new Map<string, number>();
  let [removed, late] = [0, 0];
  const counted = new Map<string, number>();
  const spent = new Map<string, number>();
  const take = (row: LedgerRow) => {
    for (const site of row.survivors) counted.set(site, (counted.get(site) ?? 0) + 1);
    for (const [site, epsilon] of Object.entries(row.spent ?? {})) spent.set(site, epsilon);
  };
  for (const row of rows) take(row);
  return {
    committed: (row) => {
      rows.push(row);
      take(row);
    },
    fault: (fault) => {
      if (fault.kind === "aborted") aborts.set(fault.phase, (aborts.get(fault.phase) ?? 0) + 1);
      if (fault.kind === "remove") removed++;
    },
    picture: (picture) => {
      late = picture.late.length;
    },
    text: ({ connected, sites, traffic }) => {
      const last = rows.at(-1);
      const voids = rows.filter((row) => row.void).length;
      const scaled = rows.reduce((sum, row) => sum + (row.scaled ?? 0), 0);
      return [
        ...metric("rounds_done", "gauge", "Rounds that are done", [
          ["", roundsAfter(spec, (last?.shown.step ?? 0) - voids)],
        ]),
        ...metric("rounds_planned", "gauge", "Rounds in all", [["", spec.training.rounds]]),
        ...metric("exchanges_total", "counter", "Sums that were taken", [["", rows.length - voids]]),
        ...metric("rounds_given_up_total", "counter", "Rounds that were given up", [["", voids]]),
        ...metric(
          "aborts_total",
          "counter",
          "Attempts that came to nothing, by phase",
          [...aborts].map(([phase, count]) => [`phase="${phase}"`, count]),
        ),
        ...metric("updates_scaled_total", "counter", "Updates scaled down to the bound", [["", scaled]]),
        ...metric("sites", "gauge", "Sites on the roster", [["", sites]]),
        ...metric("sites_connected", "gauge", "Sites that are connected", [["", connected.length]]),
        ...metric("sites_late", "gauge", "Sites that are waited for or gone on without", [["", late]]),
        ...metric("sites_excluded_total", "counter", "Sites that were excluded", [["", removed]]),
        ...metric("sites_in_last_sum", "gauge", "Sites in the last sum", [["", last?.survivors.length ?? 0]]),
        ...metric(
          "site_counted_total",
          "counter",
          "Sums that a site was counted in",
          [...counted].map(([site, count]) => [label(site), count]),
        ),
        ...metric(
          "site_epsilon_spent",
          "gauge",
          "Privacy that a site says it has spent",
          [...spent].map(([site, epsilon]) => [label(site), epsilon]),
        ),
        ...metric(
          "mean_loss",
          "gauge",
          "Mean loss over sites",
          last?.meanLoss == null ? [] : [["", last.meanLoss]],
        ),
        ...metric("mean_price", "gauge", "Mean price over sites", last ? [["", last.shown.meanPrice]] : []),
        ...metric("bytes_total", "counter", "Bytes over the coordinator's port", [
          ['direction="in"', traffic.in],
          ['direction="out"', traffic.out],
        ]),
        "",
      ].join("\n");
    },
  };
}

const label = (site: string): string => `site="${site}"`;

function metric(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string[] {
  if (samples.length === 0) return [];
  const full = `pliant_federation_${name}`;
  return [
    `# HELP ${full} ${help}.`,
    `# TYPE ${full} ${type}`,
    ...samples.map(([labels, value]) => `${full}${labels === "" ? "" : `{${labels}}`} ${value}`),
  ];
}

/** Over plain HTTP, for a Prometheus beside the coordinator: /metrics, and /healthz for whoever restarts it. */
export async function serveMetrics(
  at: string,
  text: () => string,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const [, host = "127.0.0.1", port] = /^(?:\[?([^\]\s]+?)\]?:)?(\d{1,5})$/.exec(at) ?? [];
  if (port === undefined) throw new InputError(`Metrics are given out at PORT or HOST:PORT, not ${at}.`);
  const server = createServer((request, response) => {
    const body = { "/metrics": text, "/healthz": () => "ok\n" }[request.url ?? ""];
    response.writeHead(body ? 200 : 404, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    response.end(body?.() ?? "There is nothing here.\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new PliantError(`Metrics cannot be given out at ${at}: ${error.message}.`)),
    );
    server.listen(Number(port), host, resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
