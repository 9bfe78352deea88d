// What a request of either experiment may choose among.

/** Text and published code do not tell alike; what each preset takes from which is said where an experiment's settings are. */
export const presets = ["official", "stated", "corrected"] as const;
export type Preset = (typeof presets)[number];

/** What relaxations cost: ‖u‖_β to the power β, over β; the maximum is β = ∞. */
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
