// Pictures of every page in every state at three widths in both colours, and an index.html of them:
// npm run screenshots -w @pliant/studio -- [--out DIR] [--runs DIR] [--only TEXT]. The real commands make the runs, once where --runs keeps them.
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { openBrowser, wholePage } from "./browser.js";
import { beginRun, kill, makeMany, makeRuns } from "./screen-runs.js";
import { startServer } from "./server.js";

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    runs: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), "pliant-screenshots-")));
const runs = resolve(values.runs ?? join(out, "runs"));
const widths = [390, 1024, 1440];
const schemes = ["light", "dark"] as const;

interface Screen {
  readonly name: string;
  /** What a viewer is to know of it. */
  readonly about: string;
  /** The address of the server, and the part behind the hash. */
  readonly address: string;
  /** What is waited for beside what the page asks the server for. */
  readonly ready?: string;
}

interface Listed {
  readonly runs: readonly {
    readonly name: string;
    readonly study: string | null;
    readonly sweep: { readonly group: string } | null;
  }[];
}
const listOf = async (url: string): Promise<Listed> => (await fetch(`${url}api/runs`)).json() as never;

const run = (name: string | undefined, query = ""): string =>
  `#/run/${encodeURIComponent(name ?? "")}${query}`;
const compared = (list: readonly string[]): string =>
  `#/compare?${new URLSearchParams(list.map((name) => ["run", name]))}`;

async function screensOf(url: string): Promise<Screen[]> {
  const listed = await listOf(url);
  const of = (prefix: string): string[] =>
    listed.runs.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  const group = listed.runs.find(({ sweep }) => sweep)?.sweep?.group ?? "";
  const study = (prefix: string): string =>
    `#/study/${encodeURIComponent(listed.runs.find((one) => one.study?.startsWith(prefix))?.study ?? "")}`;
  const screen = (name: string, about: string, route: string, ready?: string): Screen => ({
    ...{ name, about, address: `${url}${route}` },
    ...(ready !== undefined && { ready }),
  });
  return [
    screen("list", "The list of runs, one in each state", "#/runs"),
    screen("run", "A certified run of which requirements gave way", run("loans")),
    screen("run-live", "A run that trains", run("running")),
    screen("run-failed", "A run that failed", run("failed")),
    screen("run-killed", "A run whose process was killed", run("killed")),
    screen("run-uncertified", "A run that ended before it converged", run("uncertified")),
    screen("run-violated", "A run that violates a requirement which must hold", run("violated")),
    screen("run-many", "A run of 40 requirements", run("many")),
    screen("model", "The model tab", run("loans", "?tab=model"), "[data-figure=ROC] path.line"),
    screen("model-uncertified", "The model tab of a run that ended early", run("uncertified", "?tab=model")),
    screen("invariance", "One of the paper's experiments: invariance", run(of("invariance")[0])),
    screen("federated", "A federated run", run(of("federated")[0])),
    screen(
      "federation",
      "The clients of a federated run",
      `#/federation/${encodeURIComponent(of("federated")[0] ?? "")}`,
    ),
    screen("federation-any", "Federations, none of them chosen", "#/federation"),
    screen("study-sweep", "A study: a sweep of the cost", study("sweep")),
    screen("study-folds", "A study: three folds", study("folds")),
    screen("compare", "Four runs compared, one violated", compared(["loans", "violated", ...of("seed-")])),
    screen(
      "compare-ended",
      "A failed, a killed and an uncertified run compared",
      compared(["failed", "killed", "uncertified"]),
    ),
    screen("compare-sweep", "A sweep compared", `#/compare?sweep=${encodeURIComponent(group)}`),
    screen("compare-empty", "Nothing chosen to compare", "#/compare"),
    screen("playground", "The playground", "#/playground", "[data-settled=true]"),
    screen("no-such-run", "A run that does not exist", run("no-such-run")),
  ];
}

async function manyScreens(url: string): Promise<Screen[]> {
  const names = (await listOf(url)).runs.map(({ name }) => name);
  return [
    { name: "list-300", about: "The list of 300 runs", address: `${url}#/runs` },
    { name: "compare-many", about: "40 runs compared", address: `${url}${compared(names.slice(0, 40))}` },
  ];
}

const pictureOf = ({ name }: Screen, width: number, scheme: string): string =>
  `${name}-${width}-${scheme}.png`;

async function photograph(page: Page, screen: Screen, path: string): Promise<void> {
  if (screen.ready !== undefined) await page.locator(screen.ready).first().waitFor();
  await page.screenshot({ path, fullPage: true });
}

function writeIndex(screens: readonly Screen[]): void {
  const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const sections = screens.map(({ name, about, ...rest }) => {
    const pictures = schemes.flatMap((scheme) =>
      widths.map((width) => {
        const file = pictureOf({ name, about, ...rest }, width, scheme);
        return `<a href="${file}"><img loading="lazy" src="${file}" alt="${name}, ${width} wide, ${scheme}"></a>`;
      }),
    );
    return `<h2>${escaped(name)}</h2><p>${escaped(about)}</p><div>${pictures.join("")}</div>`;
  });
  const style =
    "body{font:15px sans-serif;margin:24px}div{display:flex;gap:8px;align-items:start}img{width:220px;border:1px solid #999}";
  writeFileSync(
    join(out, "index.html"),
    `<!doctype html><meta charset="utf-8"><title>Screens of the Studio</title><style>${style}</style><h1>Screens of the Studio</h1>${sections.join("")}`,
  );
}

mkdirSync(out, { recursive: true });
if (!existsSync(runs)) await makeRuns(runs);
const empty = join(out, "no-runs");
mkdirSync(empty, { recursive: true });
const browser = await openBrowser();
if (!browser) throw new Error("No Chromium was found; name one in CHROMIUM.");
const running = await beginRun(runs, "running");
const servers = await Promise.all([runs, empty, makeMany(join(`${runs}-300`), 300)].map(startServer));
try {
  const [some, none, many] = servers.map(({ url }) => url);
  const screens = [
    ...(await screensOf(some)),
    { name: "list-empty", about: "The list where there is no run", address: `${none}#/runs` },
    ...(await manyScreens(many)),
  ];
  writeIndex(screens);
  for (const screen of screens.filter(({ name }) => name.includes(values.only)))
    for (const colorScheme of schemes)
      for (const width of widths) {
        const page = await wholePage(browser, screen.address, {
          viewport: { width, height: 900 },
          colorScheme,
        });
        await photograph(page, screen, join(out, pictureOf(screen, width, colorScheme)));
        await page.close();
      }
  console.log(`${screens.length} screens are in ${out}/index.html`);
} finally {
  await kill(running);
  await Promise.all(servers.map((server) => server.close()));
  await browser.close();
}
