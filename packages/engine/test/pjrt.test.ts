// The PJRT client against a plugin that checks and counts everything it is given (fake-pjrt-plugin.c), and,
// where PLIANT_PJRT_PLUGIN names one, against a real plugin.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import koffi from "koffi";
import { transformWithEsbuild } from "vite";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, findPlugins, type PjrtClient, PjrtError } from "../src/xla/pjrt.js";
import { compileOptions } from "../src/xla/pjrt-layout.js";

const folder = mkdtempSync(join(tmpdir(), "pjrt-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(import.meta.dirname, "fake-pjrt-plugin.c");
const hasCompiler = spawnSync("cc", ["--version"]).status === 0;
if (!hasCompiler)
  console.warn("The fake PJRT plugin was not tested: there is no C compiler (cc) to build it with.");

function buildFake(name: string, { major = 0, minor = 90, extra = 0 } = {}, flags: string[] = []): string {
  const path = join(folder, `${name}.so`);
  const version = [`-DMAJOR=${major}`, `-DMINOR=${minor}`, `-DEXTRA=${extra}`];
  execFileSync("cc", ["-shared", "-fPIC", ...version, ...flags, source, "-o", path, "-lpthread"]);
  return path;
}

function errorOf(action: () => unknown): PjrtError {
  try {
    action();
  } catch (reason) {
    if (reason instanceof PjrtError) return reason;
    throw reason;
  }
  throw new Error("nothing was thrown");
}

/** One sentence: a capital letter, a full stop, one line. */
const SENTENCE = /^[A-Z/][^\n]*\.$/;
const KINDS = ["errors", "events", "buffers", "programs", "metas", "clients", "donated", "bytes"] as const;

describe.skipIf(!hasCompiler)("a PJRT client", () => {
  const path = hasCompiler ? buildFake("fake") : "";
  const fakeLive = hasCompiler ? koffi.load(path).func("long fake_live(int kind)") : () => 0;
  const counted = (kind: (typeof KINDS)[number]): number => fakeLive(KINDS.indexOf(kind));
  const collectGarbage = async () => {
    setFlagsFromString("--expose-gc");
    for (let round = 0; round < 5; round++) {
      runInNewContext("gc")();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  let client: PjrtClient;
  const floats = (...values: number[]) =>
    client.upload(Float32Array.from(values), [values.length], "float32");

  beforeEach(() => {
    client = createClient(path);
  });
  afterEach(() => {
    client.close();
    for (const kind of KINDS.slice(0, 6)) expect(`${counted(kind)} ${kind}`).toBe(`0 ${kind}`);
  });

  it("describes the platform and its devices", () => {
    expect(client.platform).toBe("fake");
    expect(client.apiVersion).toEqual({ major: 0, minor: 90 });
    expect(client.devices).toEqual([{ id: 7, description: "Fake One" }]);
  });

  it("passes its options on by name and type", () => {
    const other = createClient(path, { memoryFraction: 0.125, preallocate: true, visibleDevices: [0, 3] });
    expect(other.platformVersion).toBe("options: memory_fraction=0.125 preallocate=1 visible_devices=0;3;");
    expect(other.memoryStats()).toBeNull();
    other.close();
    expect(errorOf(() => createClient(path, { memoryFraction: 1.5 })).code).toBe("argument");
  });

  it("brings arrays of every type to the device and back", async () => {
    for (const [type, array] of [
      ["float32", Float32Array.of(1.5, -2, 3, 4, 5, 6)],
      ["float64", Float64Array.of(0.1, 0.2, 0.3, 4, 5, 6)],
      ["int32", Int32Array.of(1, -2, 3, 4, 5, 6)],
      ["int64", BigInt64Array.of(1n, -(2n ** 40n), 3n, 4n, 5n, 6n)],
      ["bool", Uint8Array.of(1, 0, 1, 1, 0, 0)],
    ] as const) {
      const buffer = client.upload(array, [2, 3], type);
      expect(await buffer.read()).toEqual(array);
      expect(buffer.readSync()).toEqual(array);
      expect(buffer).toMatchObject({ shape: [2, 3], type, byteLength: array.byteLength, released: false });
    }
  });

  it("uploads a part of an array, a scalar, an empty array and shared memory", () => {
    const part = new Float32Array(20).map((_, index) => index).subarray(3, 5);
    expect(client.upload(part, [2], "float32").readSync()).toEqual(Float32Array.of(3, 4));
    expect(client.upload(Float32Array.of(7), [], "float32").readSync()).toEqual(Float32Array.of(7));
    expect(client.upload(new Float32Array(0), [0, 3], "float32").readSync()).toEqual(new Float32Array(0));
    const shared = new Int32Array(new SharedArrayBuffer(8));
    shared[1] = 5;
    expect(client.upload(shared, [2], "int32").readSync()).toEqual(Int32Array.of(0, 5));
  });

  it("refuses an array that does not fit the shape or the type", () => {
    for (const type of ["float32", "int32"] as const) {
      const error = errorOf(() => client.upload(new Float32Array(5), [2, 3], type));
      expect(error.code).toBe("argument");
      expect(error.message).toMatch(SENTENCE);
    }
  });

  it("does not block while it reads, and reads many buffers at once", async () => {
    const buffers = Array.from({ length: 400 }, (_, index) => floats(index));
    // Other waiting tasks run before asynchronous reads finish; blocking reads finish before them.
    let turns = 0;
    setTimeout(() => turns++);
    setImmediate(() => turns++);
    const values = await Promise.all(buffers.map((buffer) => buffer.read()));
    expect(turns).toBeGreaterThan(0);
    expect(values.map((array) => array[0])).toEqual(buffers.map((_, index) => index));
  });

  it("finishes a read whose buffer is released, or whose client is closed, meanwhile", async () => {
    const released = floats(1, 2);
    const reads = [released.read(), floats(3).read(), floats(4).read()];
    released.release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    client.close();
    expect((await Promise.all(reads)).map((array) => [...array])).toEqual([[1, 2], [3], [4]]);
  });

  it("runs a program and knows its outputs", async () => {
    const swap = client.compile("swap 2 3");
    const output = { shape: [2, 3], type: "float32", byteLength: 24 };
    expect(swap.outputs).toEqual([output, output]);
    expect(swap.temporaryBytes()).toBe(200);
    const inputs = [0, 10].map((first) =>
      client.upload(
        new Float32Array(6).map((_, i) => first + i),
        [2, 3],
        "float32",
      ),
    );
    const outputs = swap.execute(inputs);
    expect(outputs[0]).toMatchObject(output);
    expect(await outputs[0].read()).toEqual(await inputs[1].read());
    expect(await outputs[1].read()).toEqual(await inputs[0].read());
    expect(counted("donated")).toBe(0);
  });

  it("donates only the given inputs", () => {
    const swap = client.compile("swap 1");
    const [kept, given] = [floats(1), floats(2)];
    const [first] = swap.execute([kept, given], { donate: [1] });
    expect([kept.released, given.released, counted("donated")]).toEqual([false, true, 1]);
    expect(first.readSync()).toEqual(Float32Array.of(2));
    expect(kept.readSync()).toEqual(Float32Array.of(1));
    expect(errorOf(() => swap.execute([kept, given])).message).toBe(
      "Input 1 of a program was released before the run.",
    );
    expect(errorOf(() => swap.execute([kept, kept], { donate: [0] })).message).toMatch(
      /same buffer is also input 1/,
    );
    expect(errorOf(() => swap.execute([kept, kept], { donate: [2] })).code).toBe("argument");
  });

  it("keeps an account of what is alive, and holds nothing after a thousand runs", () => {
    const double = client.compile("double 4");
    let state = floats(0, 1, 2, 3);
    for (let step = 0; step < 1000; step++) {
      const [next] = double.execute([state]);
      state.release();
      state = next as typeof state;
    }
    expect(client.live).toEqual({ buffers: 1, bytes: 16, executables: 1 });
    expect([counted("buffers"), counted("events"), counted("errors")]).toEqual([1, 0, 0]);
    expect(client.memoryStats()).toEqual({ bytesInUse: 16, peak: undefined, limit: 1_000_000 });
    state.release();
    state.release();
    expect(client.live.buffers).toBe(0);
    expect(errorOf(() => state.readSync()).code).toBe("released");
  });

  it("destroys buffers and programs whose wrappers are dropped, but nothing after it is closed", async () => {
    (() => {
      for (let index = 0; index < 20; index++) floats(index);
      client.compile("double 1");
    })();
    expect([counted("buffers"), counted("programs")]).toEqual([20, 1]);
    await collectGarbage();
    expect([counted("buffers"), counted("programs")]).toEqual([0, 0]);
    (() => floats(1))();
    client.close();
    await collectGarbage();
    expect(counted("buffers")).toBe(0);
  });

  it("is closed once and for all", () => {
    const buffer = floats(1);
    const program = client.compile("double 1");
    client.close();
    client.close();
    expect([buffer.released, program.released]).toEqual([true, true]);
    for (const action of [
      () => floats(1),
      () => client.compile("double 1"),
      () => program.execute([buffer]),
      () => buffer.readSync(),
    ]) {
      expect(errorOf(action).code).toBe("released");
    }
  });

  it("passes on what the compiler says, in one sentence", () => {
    const error = errorOf(() => client.compile("nonsense"));
    expect(error).toMatchObject({ code: "compile", status: 3 });
    expect(error.message).toBe(
      "XLA failed while compiling the program: line 1: error: unknown op 'nonsense' ^ please check.",
    );
    expect(error.detail).toContain("\n    ^\n");
    expect(errorOf(() => client.compile("strange 1")).message).toMatch(/element type/);
  });

  it("states the requested size when a device is out of memory", () => {
    const error = errorOf(() => client.upload(new Float32Array(300_000), [300, 1000], "float32"));
    expect(error).toMatchObject({ code: "out-of-memory", status: 8 });
    expect(error.message).toMatch(
      /ran out of memory while uploading float32\[300,1000\] \(1,200,000 bytes\): .* smaller batches/,
    );
    const run = errorOf(() => client.compile("exhaust 2").execute([floats(1, 2)]));
    expect(run.message).toMatch(
      /while running a program with 1 inputs \(8 bytes\) and 1 outputs \(8 bytes\): .*123 bytes; /,
    );
  });

  it("shows a failure of a running program when its output is read", async () => {
    const [output] = client.compile("late 1").execute([floats(1)]);
    const message =
      "XLA failed while computing or reading float32[1] (4 bytes): the computation went wrong at step 3.";
    await expect(output.read()).rejects.toThrow(message);
    expect(errorOf(() => output.readSync()).message).toBe(message);
    expect(errorOf(() => client.compile("double 1").execute([])).message).toMatch(/wrong number of inputs/);
  });

  it("refuses buffers of another client", () => {
    const other = createClient(path);
    const foreign = other.upload(Float32Array.of(1), [1], "float32");
    expect(errorOf(() => client.compile("double 1").execute([foreign])).code).toBe("argument");
    other.close();
  });

  it("works with a plugin whose structs have grown", () => {
    const newer = createClient(buildFake("newer", { minor: 200, extra: 200 }));
    const [output] = newer.compile("double 1").execute([newer.upload(Float32Array.of(3), [1], "float32")]);
    expect(output.readSync()).toEqual(Float32Array.of(6));
    newer.close();
  });

  it.each([
    ["missing", "plugin-not-found", () => createClient(join(folder, "nowhere.so"))],
    ["a folder", "plugin-invalid", () => createClient(folder)],
    ["not a library", "plugin-invalid", () => createClient(source)],
    ["no plugin", "plugin-invalid", () => createClient(buildFake("other", {}, ["-DNOT_A_PLUGIN"]))],
    ["too old", "api-version", () => createClient(buildFake("old", { minor: 56 }))],
    ["too new", "api-version", () => createClient(buildFake("new", { major: 1, minor: 0 }))],
    ["without a device", "client", () => createClient(path, { visibleDevices: [99] })],
  ])("refuses a plugin that is %s", (_, code, action) => {
    const error = errorOf(action);
    expect(error.message).toMatch(SENTENCE);
    expect(error.code).toBe(code);
  });

  it("leaves nothing behind when the process ends without closing it", async () => {
    const compiled = join(folder, "compiled");
    mkdirSync(join(compiled, "xla"), { recursive: true });
    symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(compiled, "node_modules"));
    writeFileSync(join(compiled, "package.json"), '{"type":"module"}');
    const parts = [
      "pjrt",
      "pjrt-api",
      "pjrt-buffer",
      "pjrt-executable",
      "pjrt-layout",
      "pjrt-sharded",
      "plugin",
    ];
    for (const name of ["errors", ...parts.map((part) => `xla/${part}`)]) {
      const file = join(import.meta.dirname, `../src/${name}.ts`);
      const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), file);
      writeFileSync(join(compiled, `${name}.js`), code);
    }
    const script = `import { createClient } from "./xla/pjrt.js";
      const client = createClient(process.argv[2]);
      const [y] = client.compile("double 1").execute([client.upload(Float32Array.of(1), [1], "float32")]);
      y.read();
      if (process.argv[3] === "exit") setTimeout(() => process.exit(3), 10);
      if (process.argv[3] === "throw") throw new Error("on purpose");`;
    writeFileSync(join(compiled, "script.js"), script);
    for (const [how, status] of [
      ["end", 0],
      ["exit", 3],
      ["throw", 1],
    ] as const) {
      const args = [join(compiled, "script.js"), path, how];
      const run = spawnSync(process.execPath, args, {
        encoding: "utf8",
        env: { ...process.env, FAKE_REPORT: "1" },
      });
      expect([run.status, run.signal]).toEqual([status, null]);
      expect(run.stderr).toContain("left: 0 clients, 0 buffers, 0 programs");
    }
  });
});

describe("finding plugins", () => {
  it("takes the one the user names and looks no further", () => {
    const search = findPlugins({ PLIANT_PJRT_PLUGIN: "/some/plugin.so" });
    expect(search.plugins).toEqual([{ path: "/some/plugin.so", origin: "PLIANT_PJRT_PLUGIN" }]);
  });

  it("finds the plugin of a Python environment, newest CUDA first", () => {
    const packages = join(folder, "venv/lib/python3.12/site-packages/jax_plugins");
    for (const cuda of ["xla_cuda12", "xla_cuda13"]) {
      mkdirSync(join(packages, cuda), { recursive: true });
      writeFileSync(join(packages, cuda, "xla_cuda_plugin.so"), "");
    }
    const { plugins } = findPlugins({ VIRTUAL_ENV: join(folder, "venv"), PATH: "", HOME: folder });
    expect(plugins.slice(0, 2)).toEqual(
      ["xla_cuda13", "xla_cuda12"].map((cuda) => ({
        path: join(packages, cuda, "xla_cuda_plugin.so"),
        origin: "VIRTUAL_ENV",
      })),
    );
  });

  it("asks Python where its packages are, and says where it looked", () => {
    const bin = join(folder, "bin");
    const answer = join(folder, "elsewhere/jax_plugins");
    mkdirSync(bin);
    writeFileSync(join(bin, "python3"), `#!/bin/sh\necho '["${answer}"]'\n`, { mode: 0o755 });
    const { looked } = findPlugins({ PATH: bin, HOME: folder });
    expect(looked).toContain(join(answer, "xla_cuda13/xla_cuda_plugin.so"));
  });
});

it("encodes compile options as XLA's protobuf", () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  expect(hex(compileOptions())).toBe("1a0f08ffffffffffffffffff0120012801");
  const entry = (value: string | number | boolean) => hex(compileOptions({ ab: value })).slice(34);
  expect(entry("c")).toBe("3a090a0261621203" + "0a0163");
  expect(entry(true)).toBe("3a080a0261621202" + "1001");
  expect(entry(300)).toBe("3a090a0261621203" + "18ac02");
  expect(entry(0.5)).toBe("3a0f0a0261621209" + "21000000000000e03f");
});

const real = process.env.PLIANT_PJRT_PLUGIN;
describe.skipIf(!real)("a real plugin", () => {
  const program = `module { func.func public @main(%a: tensor<2x3xf32>, %s: tensor<f32> {tf.aliasing_output = 1 : i32})
    -> (tensor<3x2xf32>, tensor<f32>) {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.add %s, %s : tensor<f32>
    return %0, %1 : tensor<3x2xf32>, tensor<f32> } }`;

  it("computes, keeps what is not donated, refuses nonsense, and closes", async () => {
    const client = createClient(real!);
    const run = client.compile(program);
    const a = client.upload(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3], "float32");
    let s = client.upload(Float32Array.of(1), [], "float32");
    const [kept, doubled] = run.execute([a, s]);
    expect(await kept.read()).toEqual(Float32Array.of(1, 4, 2, 5, 3, 6));
    expect(s.readSync()).toEqual(Float32Array.of(1));
    doubled.release();
    for (let step = 0; step < 100; step++) {
      const [transposed, next] = run.execute([a, s], { donate: [1] });
      transposed.release();
      s = next;
    }
    expect(s.readSync()).toEqual(Float32Array.of(2 ** 100));
    expect(client.live).toEqual({ buffers: 3, bytes: 24 + 24 + 4, executables: 1 });
    expect(errorOf(() => client.compile("module { nonsense }")).code).toBe("compile");
    expect(errorOf(() => client.compile(program, { xla: { no_such_option: true } })).message).toMatch(
      /no_such_option/,
    );
    client
      .compile(program, { xla: { xla_backend_optimization_level: 1, xla_embed_ir_in_executable: false } })
      .release();
    expect(errorOf(() => run.execute([a])).code).toBe("execute");
    client.close();
  });
});
