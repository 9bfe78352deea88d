// Choices that the requests of both experiments share.

/** Text and published code differ; each experiment says which preset takes what from where. */
export const presets = ["official", "stated", "corrected"] as const;
export type Preset = (typeof presets)[number];

/** Relaxation costs: ‖u‖_β^β/β; the maximum is β = ∞. */
export const costNames = ["quadratic", "linear", "power4", "maximum"] as const;
export type CostName = (typeof costNames)[number];

export const betas: Readonly<Record<CostName, number>> = {
  linear: 1,
  quadratic: 2,
  power4: 4,
  maximum: Number.POSITIVE_INFINITY,
};

/** β as tables write it. */
export const betaText = (cost: CostName): string => String(betas[cost]).replace("Infinity", "∞");
