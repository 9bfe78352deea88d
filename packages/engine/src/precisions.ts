import type { Precision } from "./backend.js";

/** Every precision of float32 products that can be asked for on a GPU; elsewhere they are float32. */
export const precisions: readonly Precision[] = ["float32", "tf32", "bf16"];
