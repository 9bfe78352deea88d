// pliant doctor: tries each back end and says which work here, which do not, and how to get them.
import { cpus } from "node:os";
import { array, type Backend, compile, reference, type Tensor } from "@pliant/engine";
import { readArgs, refuseWords } from "./arguments.js";
import { paint } from "./colours.js";
import { installCommand, optionalParts } from "./optional.js";
import { shared } from "./options.js";

interface Finding {
  name: string;
  works: boolean;
  detail: string;
  /** How to get it. */
  remedy?: string;
  /** The platform of the XLA plugin. */
  platform?: string;
}

/** Computes the tanh of a small product and checks the result. */
async function tries(backend: Backend): Promise<void> {
  const f = compile((a: Tensor, b: Tensor) => a.matmul(b).tanh(), { backend });
  const y = await (await f(array([[1, 2]]), array([[0.25], [0.5]]))).read();
  if (Math.abs(y.item() - Math.tanh(1.25)) > 1e-3) throw new Error(`it computes ${y.item()} for tanh(1.25)`);
}

async function check(
  name: string,
  remedy: string,
  open: () => Promise<{ backend: Backend; detail: string; platform?: string }>,
): Promise<Finding> {
  try {
    const { backend, ...found } = await open();
    try {
      await tries(backend);
    } finally {
      await backend.close();
    }
    return { name, works: true, ...found };
  } catch (reason) {
    return { name, works: false, detail: reason instanceof Error ? reason.message : String(reason), remedy };
  }
}

/** Packages that are installed only if needed. */
const optional = (): Promise<readonly { for: string; works: boolean; install: string }[]> =>
  Promise.all(
    optionalParts.map(async (part) => {
      const loads = part.packages.map((name) => import(name));
      const works = (await Promise.allSettled(loads)).every(({ status }) => status === "fulfilled");
      return { for: part.for, works, install: installCommand(part) };
    }),
  );

async function examine(): Promise<Finding[]> {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return [
    { name: "node", works: enough, detail: process.version, remedy: "install Node 20.19 or later" },
    await check("reference", "report this: it is plain TypeScript and must run", async () => ({
      backend: reference(),
      detail: "plain TypeScript, one thread",
    })),
    await check("onnx", "run npm install onnxruntime-node", async () => {
      const { onnx, usualThreads } = await import("@pliant/engine/onnx");
      const backend = await onnx();
      return {
        backend,
        detail: `ONNX Runtime on the CPU, ${usualThreads()} threads (${cpus()[0]?.model.trim()})`,
      };
    }),
    await check(
      "xla",
      'for a GPU, install an XLA plugin: pip install "jax[cuda13]", or set PLIANT_PJRT_PLUGIN to one',
      async () => {
        const { xla } = await import("@pliant/engine/xla");
        const backend = await xla({ preallocate: false });
        const { devices, platform, apiVersion } = backend.client;
        const list = devices.map((d) => d.description).join(", ");
        const detail = `${platform}: ${list} (PJRT ${apiVersion.major}.${apiVersion.minor})`;
        return { backend, detail, platform };
      },
    ),
  ];
}

/** The back end that device "auto" opens, by the rule of `open` in @pliant/engine/device, and the reason. */
export function chosen(findings: readonly Finding[]): { auto: string; why: string } {
  const found = (name: string) => findings.find((f) => f.name === name && f.works);
  const xla = found("xla");
  if (xla && xla.platform !== "cpu") return { auto: "xla", why: "an XLA plugin for an accelerator starts" };
  if (!found("onnx")) return { auto: "reference", why: "neither XLA nor ONNX Runtime starts" };
  if (!xla) return { auto: "onnx", why: "no XLA plugin starts" };
  return {
    auto: "onnx and xla",
    why: "the XLA plugin is one for processors; loops without convolutions and sorting run on it, where it is faster, all else on ONNX Runtime",
  };
}

export async function doctor(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "doctor",
    about:
      "Tries each back end and optional package, and says which work on this machine and how to get the others.",
    options: { json: shared.json },
  });
  refuseWords(positionals, "doctor");
  const findings = await examine();
  const parts = await optional();
  const { auto, why } = chosen(findings);
  if (values.json) {
    console.log(JSON.stringify({ findings, auto, why, optional: parts }, null, 2));
    return;
  }
  const mark = (works: boolean): string => (works ? paint("green", "✓") : paint("red", "✗"));
  for (const { name, works, detail, remedy } of findings) {
    console.log(`${mark(works)} ${name.padEnd(10)} ${detail}`);
    if (!works && remedy) console.log(`  ${"".padEnd(10)} → ${remedy}`);
  }
  console.log("\nOptional features:");
  for (const { for: purpose, works, install } of parts) {
    console.log(`${works ? mark(true) : "–"} ${purpose}`);
    if (!works) console.log(`  → ${install}`);
  }
  console.log(`\nDevice "auto" is ${auto} here: ${why}.`);
}
