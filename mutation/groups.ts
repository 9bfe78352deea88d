// The files in which a wrong number would hurt most, and the quick tests that are meant to see one.

export interface Group {
  /** The package they are in. */
  readonly home: string;
  /** From its src/. */
  readonly files: readonly string[];
  /** From its test/, without their ending. */
  readonly tests: readonly string[];
  /** Tests of those files that take long, by name. */
  readonly slow?: RegExp;
}

export const groups: Record<string, Group> = {
  algorithms: {
    home: "core",
    files: ["algorithms/{algorithms,dual-step}.ts"],
    tests: ["algorithms", "dual"],
  },
  newton: {
    home: "core",
    files: ["newton/steps.ts", "certificate/{newton-kkt,local-model,compiled-model}.ts"],
    tests: ["newton-kkt", "newton-steps"],
  },
  krylov: {
    home: "core",
    files: ["certificate/{krylov,krylov-programs,vectors}.ts"],
    tests: ["krylov", "vectors"],
  },
  certificate: {
    home: "core",
    files: ["certificate/{certificate,scales,undetermined,words}.ts"],
    tests: ["check", "scales", "undetermined", "certificate-words", "gap"],
  },
  ground: {
    home: "core",
    files: ["certificate/{curvature,unbounded}.ts"],
    tests: ["curvature", "saddle", "separated"],
  },
  kinks: {
    home: "core",
    files: ["certificate/{kinks,subgradient}.ts"],
    tests: ["kinks-by-hand", "kinks"],
    slow: /certifies a minimum|nowhere is what/,
  },
  diagnose: {
    home: "core",
    files: ["diagnose/*.ts"],
    tests: ["diagnose-by-hand", "conflict", "separated"],
  },
  optimizers: {
    home: "core",
    files: ["optimizers/*.ts"],
    tests: ["optimizer", "newton"],
    slow: /as long as ever|a counted rate|a logistic regression/,
  },
  solver: {
    home: "core",
    files: ["solver/{inspector,natural-scales,newton-loop,options,solve,solver}.ts"],
    tests: ["zero-level", "start", "qp-options", "mistakes", "solver"],
  },
  training: {
    home: "core",
    files: ["solver/{slope,training-loop}.ts", "algorithms/inner-loop.ts"],
    tests: ["batches-by-hand", "pace", "qp-options", "terms"],
  },
  states: {
    home: "core",
    files: ["solver/{backend,finite,state}.ts"],
    tests: ["backend", "saved-state", "mistakes"],
  },
  costs: {
    home: "core",
    files: ["costs/*.ts"],
    tests: ["costs-by-hand", "costs-custom", "costs-check"],
  },
  batches: {
    home: "core",
    files: ["solver/minibatch.ts", "problem/group-means.ts"],
    tests: ["batches-by-hand"],
  },
  report: {
    home: "core",
    files: ["report/report.ts"],
    tests: ["report-words"],
  },
  sums: {
    home: "federation",
    files: ["sums/*.ts"],
    tests: ["sums-by-hand", "secure-sums"],
    slow: /whoever drops out|sparse graph|neighbours are mutual|is uniform to whoever/,
  },
  federated: {
    home: "federated",
    files: [
      "client.ts",
      "client-round.ts",
      "server.ts",
      "server-round.ts",
      "solvers.ts",
      "evaluation.ts",
      "fixed-point.ts",
      "fixed-sums.ts",
    ],
    tests: ["by-hand", "evaluated", "formulas", "rounds-by-hand"],
  },
  splits: {
    home: "data",
    files: ["partition/*.ts"],
    tests: ["dealt-by-hand", "partition"],
    slow: /for any rule, level and seed|another statement of it/,
  },
  streams: {
    home: "data",
    files: ["streams/*.ts"],
    tests: ["streams", "streams-edges"],
  },
  tables: {
    home: "data",
    files: ["table/{csv,dates,delimited,encoding,kinds,notation,table,text-encoding,texts}.ts"],
    tests: ["notation", "cells", "tables-by-hand", "bytes", "csv", "dates", "encoding", "kinds"],
  },
  plain: {
    home: "data",
    files: ["table/{plain,words}.ts"],
    tests: ["plain", "plain-digits", "plain-files"],
    slow: /to the bit|now and then|within a line/,
  },
  readers: {
    home: "data",
    files: ["table/{native,read}.ts"],
    tests: ["readers-edges", "native-queries", "native", "readers"],
  },
  folds: {
    home: "train",
    files: ["data/split.ts"],
    tests: ["split", "folds"],
  },
  statistics: {
    home: "lab",
    files: ["statistics.ts", "federated/ranks.ts"],
    tests: ["statistics", "federated-metrics"],
  },
  paper: {
    home: "lab",
    files: ["table.ts", "{federated,invariance}/{tables,paper}.ts"],
    tests: ["federated-tables", "invariance-tables", "federated-paper", "invariance-paper"],
  },
};

export function groupNamed(name: string | undefined): Group {
  if (name && Object.hasOwn(groups, name)) return groups[name];
  throw new Error(`Which files? npm run mutate -- ${Object.keys(groups).join(" | ")}`);
}
