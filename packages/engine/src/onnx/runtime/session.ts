// A session of ONNX Runtime, released once and not while it runs.
import type * as Ort from "onnxruntime-common";
import { EngineError } from "../../errors.js";

export type Runtime = Pick<typeof Ort, "InferenceSession" | "Tensor" | "env">;

type Tensors = Record<string, Ort.Tensor>;

/** Larger graphs are run as they are: the runtime's optimiser takes time that grows as the square of their operators. */
const mostOptimised = 4000;

export class Session {
  private readonly session: Ort.InferenceSession;
  private running = 0;
  private released?: Promise<void>;
  private whenIdle: () => void = () => {};

  private constructor(session: Ort.InferenceSession) {
    this.session = session;
  }

  static async create(
    ort: Runtime,
    model: Uint8Array,
    { operators, threads, providers }: { operators: number; threads?: number; providers?: readonly string[] },
  ): Promise<Session> {
    try {
      const session = await ort.InferenceSession.create(model, {
        graphOptimizationLevel: operators <= mostOptimised ? "all" : "disabled",
        executionMode: "sequential",
        ...(threads ? { intraOpNumThreads: threads } : {}),
        ...(providers ? { executionProviders: [...providers] } : {}),
        // Warnings only: about initialisers the optimiser drops.
        logSeverityLevel: 3,
      });
      return new Session(session);
    } catch (cause) {
      throw new EngineError(`ONNX Runtime refused the program: ${messageOf(cause)}`, { cause });
    }
  }

  async run(feeds: Tensors, fetches?: Tensors): Promise<Ort.InferenceSession.OnnxValueMapType> {
    if (this.released)
      throw new EngineError("ONNX Runtime: the program was released, or its back end closed.");
    this.running++;
    try {
      return await (fetches ? this.session.run(feeds, fetches) : this.session.run(feeds));
    } catch (cause) {
      throw new EngineError(`ONNX Runtime failed: ${messageOf(cause)}`, { cause });
    } finally {
      this.running--;
      if (this.running === 0) this.whenIdle();
    }
  }

  /** Resolves when the session's memory is free. */
  release(): Promise<void> {
    this.released ??= (async () => {
      if (this.running > 0) {
        await new Promise<void>((resolve) => {
          this.whenIdle = resolve;
        });
      }
      await this.session.release();
    })();
    return this.released;
  }
}

const messageOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n")[0];
