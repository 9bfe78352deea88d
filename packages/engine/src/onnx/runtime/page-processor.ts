// The processor of a page: WebAssembly for programs that are worth it, plain TypeScript for the rest. A session takes tens of
// milliseconds to make and a call some tens of microseconds; a program of few elements is done by then.
// The choice is by the program alone: the same program gives the same numbers in every run.
import type { Backend, Executable } from "../../backend.js";
import type { Program } from "../../graph.js";
import { reference } from "../../reference/index.js";
import { isSmall, onnx } from "./backend.js";
import type { Runtime } from "./session.js";

let offered: (() => Promise<Runtime>) | undefined;

/**
 * Lets `open("auto")` of a page run large programs in ONNX Runtime, as in `offerRuntime(() => import("onnxruntime-web/wasm"))`. It is loaded
 * when the first of them comes, or when the function that is returned is called; where it does not load, all is computed in plain
 * TypeScript.
 */
export function offerRuntime(load: () => Promise<Runtime>): () => Promise<void> {
  let loading: Promise<Runtime> | undefined;
  const once = (): Promise<Runtime> => {
    loading ??= load();
    return loading;
  };
  offered = once;
  return async () => {
    // Opening it compiles its WebAssembly.
    const backend = await openWasm(await once());
    await backend.close();
  };
}

/** As many threads as the runtime has: one, unless its page is isolated and says more. */
const openWasm = (runtime: Runtime): Promise<Backend> =>
  onnx({ runtime, threads: runtime.env.wasm.numThreads ?? 1 });

/** Plain TypeScript, beside the runtime that was offered. */
export const pageProcessor = (): Backend => (offered ? beside(offered) : reference());

function beside(load: () => Promise<Runtime>): Backend {
  const plain = reference();
  let opening: Promise<Backend | undefined> | undefined;
  const native = (): Promise<Backend | undefined> => {
    opening ??= load()
      .then((runtime) => openWasm(runtime))
      .catch((reason: Error) => {
        console.warn(
          `ONNX Runtime does not load in this page, so all is computed in plain TypeScript: ${reason.message}`,
        );
        return undefined;
      });
    return opening;
  };
  const large = async (program: Program): Promise<Executable> => {
    const backend = await native();
    // An operation that the runtime does not have, or more memory than WebAssembly gives.
    const executable = await backend?.compile(program).catch(() => undefined);
    return executable ?? plain.compile(program);
  };
  return {
    name: "onnx and reference",
    put: plain.put,
    compile: (program) => (isSmall(program) ? plain.compile(program) : large(program)),
    async close() {
      await (await opening)?.close();
    },
  };
}
