// A long run, made up: three requirements that settle, with some noise.

const names = ["misses in A", "misses in B", "false alarms"];

function evaluation(row: number) {
  const settled = 1 - Math.exp(-row / 4000);
  const noise = (i: number): number => 0.01 * Math.sin(row * 12.9898 + i * 78.233);
  const requirement = (i: number) => {
    const relaxation = i === 1 ? 0.25 * settled + noise(i) ** 2 : 0;
    return {
      sense: "at most",
      level: 0.1,
      reached: 0.1 + relaxation + noise(i),
      relaxation,
      price: i === 2 ? 3.3 * settled : 4 * relaxation,
      cost: i === 2 ? "hard" : "quadratic(2)",
      strict: 0.09 + relaxation,
    };
  };
  const error = 0.1 * Math.exp(-row / 3000) + 1e-5;
  return {
    objective: 0.7 - 0.37 * settled + noise(7),
    requirements: Object.fromEntries(names.map((name, i) => [name, requirement(i)])),
    certificate: {
      kind: "local",
      errors: {
        objective: error / 8,
        prices: error,
        relaxations: error / 2,
        values: error / 4,
        parameters: error / 2,
      },
      objectiveError: error / 16,
      gap: null,
      tolerance: 1e-4,
      holds: error <= 1e-4,
      short: [],
    },
  };
}

export const metricsLine = (row: number): string =>
  `${JSON.stringify({ step: 100 * (row + 1), time: new Date(1.7e12 + 1000 * row).toISOString(), ...evaluation(row) })}\n`;

export const report = (rows: number) => ({ ...evaluation(rows - 1), steps: 100 * rows });
