// npm run try-packages: installs the packed packages where nothing else is, as a stranger would, and uses them.
// Prints what each step took and ends with "N passed, N failed". Needs the npm registry, since dependencies come from there.
import { spawn, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packAll } from "./pack.js";
import { manifestIn, openRegistry } from "./registry.js";
import { root } from "./staging.js";

const optionalPackages = [
  ...["@duckdb/node-api", "postgres"],
  ...["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/obj"],
];
const place = await mkdtemp(join(tmpdir(), "pliant-try-"));
let passed = 0;
let failed = 0;

/** One thing that must work; `does` may say a figure. */
async function check(name: string, does: () => Promise<string | undefined>): Promise<void> {
  const start = performance.now();
  try {
    const figure = await does();
    passed++;
    console.log(
      `ok      ${name}${figure ? `: ${figure}` : ""} (${((performance.now() - start) / 1e3).toFixed(1)} s)`,
    );
  } catch (reason) {
    failed++;
    console.log(`FAILED  ${name}\n${(reason as Error).message}`);
  }
}

interface Ended {
  status: number | null;
  text: string;
}

/** A command in a folder of its own, with a home that holds nothing, so with the defaults of every tool. */
const start = (folder: string, command: string, args: string[]): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stdout.on("data", (said) => {
      text += said;
    });
    child.stderr.on("data", (said) => {
      text += said;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, text }));
  });

/** What is installed in a folder, as npx finds it once it has started. */
const installed = (folder: string, name: string): string => join(folder, "node_modules", ".bin", name);

async function run(folder: string, command: string, ...args: string[]): Promise<string> {
  const { status, text } = await start(folder, command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${text}`);
  return text;
}

/** The line that must be there. */
function lineOf(text: string, start: string): string {
  const line = text.split("\n").find((candidate) => candidate.startsWith(start));
  if (line === undefined) throw new Error(`No line begins with "${start}":\n${text}`);
  return line;
}

const out = join(place, "tarballs");
await mkdir(out);
await mkdir(join(place, "home"));
const tarballs = await packAll(out);
const settings = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim();
const registry = await openRegistry(tarballs, settings);
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  HOME: join(place, "home"),
  npm_config_registry: registry.url,
};

async function folder(name: string, manifest: object = {}): Promise<string> {
  const made = join(place, name);
  await mkdir(made);
  await writeFile(
    join(made, "package.json"),
    JSON.stringify({ name, private: true, type: "module", ...manifest }),
  );
  return made;
}

/** The first TypeScript block of the README. */
async function readmeProgram(): Promise<string> {
  const text = await readFile(join(root, "README.md"), "utf8");
  return /```ts\n([\s\S]*?)```/.exec(text)![1];
}

/** The limit of what `npm install pliant` takes on Linux: enough for a first model. */
const mostMegabytes = 100;

const stranger = await folder("stranger");
await check("npm install pliant", async () => {
  await run(stranger, "npm", "install", "pliant");
  const modules = join(stranger, "node_modules");
  const size = (await sizeOf(modules)) / 1e6;
  if (size > mostMegabytes) throw new Error(`${size.toFixed(1)} MB are more than ${mostMegabytes}.`);
  return `${size.toFixed(1)} MB in ${(await readdir(modules)).length} folders`;
});
await check("the command's version", async () => (await run(stranger, "npx", "pliant", "--version")).trim());
await check("ONNX Runtime is there", async () => {
  const { findings } = JSON.parse(await run(stranger, "npx", "pliant", "doctor", "--json"));
  const onnx = (findings as { name: string; works: boolean }[]).find(({ name }) => name === "onnx");
  if (!onnx?.works) throw new Error(JSON.stringify(findings));
  return undefined;
});
await check("a model trained from the example's spec", async () => {
  await run(stranger, "npx", "pliant", "example", "loans");
  await run(stranger, "npx", "pliant", "train", "loans/spec.yaml", "--out", "runs/loans");
  const { requirements } = JSON.parse(await run(stranger, "npx", "pliant", "report", "runs/loans", "--json"));
  return `${Object.keys(requirements).length} requirements`;
});
await check("the Studio's page", async () => {
  const child = spawn("npx", ["pliant", "studio", "--port", "0"], { cwd: stranger, env, detached: true });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.on("data", (said) => {
        const found = /http:\/\/\S+/.exec(String(said));
        if (found) resolve(found[0]);
      });
      child.on("exit", (code) => reject(new Error(`pliant studio ended with ${code}`)));
    });
    const page = await (await fetch(address)).text();
    const script = /src="([^"]+\.js)"/.exec(page)![1];
    const { status } = await fetch(new URL(script, address));
    if (status !== 200) throw new Error(`${script}: ${status}`);
    return undefined;
  } finally {
    process.kill(-child.pid!, "SIGTERM");
  }
});

const strict = await folder("strict");
await check("the README's program, under strict types and without skipLibCheck", async () => {
  await run(strict, "npm", "install", "pliant", "typescript@7", "@types/node@20", "tsx@4");
  const options = {
    strict: true,
    noUncheckedIndexedAccess: true,
    module: "nodenext",
    target: "es2022",
    outDir: "dist",
  };
  await writeFile(
    join(strict, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["main.ts"] }),
  );
  await writeFile(join(strict, "main.ts"), await readmeProgram());
  await run(strict, "npx", "tsc");
  return lineOf(await run(strict, "node", "dist/main.js"), "low");
});
for (const program of ["fairness", "held-out", "resume", "devices", "own-loop"])
  await check(`examples/${program}.ts, under strict types, by tsx`, async () => {
    await writeFile(join(strict, "main.ts"), await readFile(join(root, "examples", `${program}.ts`), "utf8"));
    await run(strict, installed(strict, "tsc"), "--types", "node");
    const output = await run(strict, installed(strict, "tsx"), "main.ts");
    return output.trimEnd().split("\n").at(-1);
  });
await check("nonsense does not compile", async () => {
  const nonsense =
    'import type { Tensor } from "pliant/engine";\nexport const f = (t: Tensor) => t.add("nonsense");\n';
  await writeFile(join(strict, "main.ts"), nonsense);
  const { status, text } = await start(strict, installed(strict, "tsc"), []);
  if (status === 0 || !text.includes("TS2345")) throw new Error(`tsc ended with ${status}: ${text}`);
  return undefined;
});
const entries = async (): Promise<string[]> => {
  const { exports } = JSON.parse(await readFile(join(strict, "node_modules/pliant/package.json"), "utf8"));
  return Object.keys(exports).map((path) => `pliant${path.slice(1)}`);
};
const importAll = (names: readonly string[]): Promise<void> =>
  writeFile(join(strict, "main.ts"), names.map((name, i) => `export * as m${i} from "${name}";`).join("\n"));
await check("every entry of pliant has declarations that compile without optional packages", async () => {
  await importAll(await entries());
  await run(strict, installed(strict, "tsc"), "--types", "node");
  return `${(await entries()).length} entries`;
});
for (const version of ["5.4", "5.9"])
  await check(`the README's program compiles under TypeScript ${version}`, async () => {
    const old = await folder(`typescript-${version}`);
    await run(old, "npm", "install", "pliant", `typescript@~${version}.0`, "@types/node@20");
    await cp(join(strict, "tsconfig.json"), join(old, "tsconfig.json"));
    await writeFile(join(old, "main.ts"), await readmeProgram());
    await run(old, installed(old, "tsc"), "--types", "node");
    return undefined;
  });
await check("every package has declarations that compile", async () => {
  await run(strict, "npm", "install", ...optionalPackages);
  const names = await entries();
  names.push("@pliant/engine/onnx", "@pliant/engine/xla", "@pliant/engine/device", "@pliant/learn/runs");
  for (const path of await readdir(join(strict, "node_modules/@pliant"))) {
    if (!path.startsWith("onnxruntime-")) names.push(`@pliant/${path}`);
  }
  await importAll(names);
  await run(strict, installed(strict, "tsc"), "--types", "node");
  return `${names.length} entries`;
});

const page = await folder("page");
await check("core and engine in a browser's bundle", async () => {
  await run(page, "npm", "install", "pliant", "vite@7");
  await writeFile(join(page, "index.html"), '<script type="module" src="./main.ts"></script>');
  await writeFile(join(page, "main.ts"), await readmeProgram());
  await run(page, "npx", "vite", "build");
  const assets = join(page, "dist", "assets");
  const [name] = await readdir(assets);
  return `${((await stat(join(assets, name))).size / 1e3) | 0} kB`;
});

/** The README's program without its types. */
const plainProgram = async (): Promise<string> =>
  (await readmeProgram()).replace(/, type Tensor|: \{ x: Tensor \}|: Tensor/g, "");

const kB = (bytes: Uint8Array): string => `${Math.round(gzipSync(bytes).length / 1e3)} kB compressed`;
const trainInPage = `import { inspect, readSpec, trainInFolder } from "pliant/train";
Object.assign(globalThis, { inspect, readSpec, trainInFolder });
`;
await check("pliant/train in a browser's bundle by Vite, without Node shims", async () => {
  await writeFile(join(page, "main.ts"), trainInPage);
  const output = await run(page, "npx", "vite", "build");
  if (/externalized for browser/.test(output)) throw new Error(output);
  const assets = join(page, "dist", "assets");
  let bytes = Buffer.alloc(0);
  for (const name of await readdir(assets))
    bytes = Buffer.concat([bytes, await readFile(join(assets, name))]);
  return kB(bytes);
});
await check("pliant/train in a browser's bundle by esbuild, without Node shims", async () => {
  await run(page, "npm", "install", "esbuild@0.28");
  const to = join(page, "train.js");
  await run(
    page,
    installed(page, "esbuild"),
    ...["main.ts", "--bundle", "--minify", "--format=esm", "--platform=browser", `--outfile=${to}`],
  );
  return kB(await readFile(to));
});

const pnpm = await folder("pnpm");
await check("pnpm add pliant", async () => {
  await run(pnpm, "npx", "--yes", "pnpm@10", "add", "pliant");
  await writeFile(join(pnpm, "main.mjs"), await plainProgram());
  return lineOf(await run(pnpm, "node", "main.mjs"), "low");
});

const bare = await folder("bare");
await check("without the native runtime, train, report and predict", async () => {
  await run(bare, "npm", "install", "pliant", "--omit=optional");
  await run(bare, "npx", "pliant", "example", "loans");
  const quick = ["--out", "run", "--no-insist", "--set", "budget.steps=50"];
  const output = await run(bare, "npx", "pliant", "train", "loans/spec.yaml", ...quick);
  const warnings = output.split('Device "auto" uses plain TypeScript').length - 1;
  if (warnings !== 1) throw new Error(`${warnings} warnings:\n${output}`);
  await run(bare, "npx", "pliant", "report", "run");
  await run(bare, "npx", "pliant", "predict", "run", "loans/loans.csv", "--out", "answers.csv");
  return `${((await sizeOf(join(bare, "node_modules"))) / 1e6).toFixed(1)} MB`;
});
await check("JSON Lines without DuckDB, and with it", async () => {
  await writeFile(join(bare, "rows.jsonl"), '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n');
  // Progress is shown only on a slow machine.
  const inspected = async () =>
    (await run(bare, "npx", "pliant", "inspect", "rows.jsonl")).replace(/^reading .*\n/gm, "");
  const without = await inspected();
  await run(bare, "npm", "install", "@duckdb/node-api");
  const beside = await inspected();
  if (without !== beside) throw new Error(`${without}\n${beside}`);
  return without.split("\n")[0];
});

const platform = `${process.platform}-${process.arch}`;
for (const version of [20, 22, 24])
  await check(`Node ${version}`, async () => {
    const at = await folder(`node-${version}`);
    await run(at, "npm", "install", `node-${platform}@${version}`);
    const node = join(at, "node_modules", `node-${platform}`, "bin", "node");
    const main = join(stranger, "node_modules/pliant/dist/main.js");
    const out = `runs/node-${version}`;
    await run(stranger, node, main, "train", "loans/spec.yaml", "--out", out, "--no-insist");
    return (await run(stranger, node, "--version")).trim();
  });

const others = await folder("others");
await check("Bun", async () => {
  await run(others, "npm", "install", `@oven/bun-${platform}`);
  const bun = join(others, "node_modules", "@oven", `bun-${platform}`, "bin", "bun");
  const at = await folder("bun");
  await run(at, bun, "add", "pliant");
  await writeFile(join(at, "main.mjs"), await plainProgram());
  return lineOf(await run(at, bun, "main.mjs"), "low");
});
await check("Deno", async () => {
  const name = process.platform === "linux" ? `${platform}-glibc` : platform;
  await run(others, "npm", "install", `@deno/${name}`);
  const deno = join(others, "node_modules", "@deno", name, "deno");
  const at = await folder("deno");
  await run(at, "npm", "install", "pliant");
  await writeFile(join(at, "main.mjs"), await plainProgram());
  return lineOf(await run(at, deno, "run", "--allow-all", "main.mjs"), "low");
});

const tools = await folder("tools");
await run(tools, "npm", "install", "publint", "@arethetypeswrong/cli");
for (const tarball of tarballs) {
  const { name } = await manifestIn(await readFile(tarball));
  if (name.includes("onnxruntime-")) continue;
  await check(`publint and types of ${name}`, async () => {
    await run(tools, installed(tools, "publint"), "run", tarball, "--strict");
    await run(tools, installed(tools, "attw"), tarball, "--profile", "esm-only");
    return undefined;
  });
}

registry.close();
await rm(place, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  let sum = 0;
  for (const file of files) sum += (await stat(file)).size;
  return sum;
}
