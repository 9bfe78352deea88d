// Invented loans: the bank knows much about group A and little about group B, so requirements on both cannot be met for B. The rows are
// the same on every machine.
import { random } from "@pliant/engine";

/** Four loans in ten are B's. */
const shareOfB = 0.4;
const purposes = ["car", "home", "business", "study"] as const;

/**
 * Everything known of a person is a view of the risk r ~ N(0, 1) through noise, and r above a threshold defaults. In A the
 * noise is small; in B it is about as large as what it hides, and the score is missing for four in ten.
 */
export function loansCsv({ rows = 4000, seed = 7 } = {}): string {
  const keys = random.split(random.key(seed), 3);
  const normals = random.normal(keys[0], [rows, 6]).data;
  const uniforms = random.uniform(keys[1], [rows, 4]).data;
  const lines = ["id,group,income,debt,years_employed,late_payments,score,purpose,defaulted"];
  for (let i = 0; i < rows; i++) {
    const [risk, ...noise] = normals.subarray(6 * i, 6 * i + 6);
    const [which, gap, purposeAt, luck] = uniforms.subarray(4 * i, 4 * i + 4);
    const inB = which < shareOfB;
    const blur = inB ? 2 : 0.35;
    const view = (k: number): number => risk + blur * noise[k];
    const income = 42 * Math.exp(-0.28 * view(0));
    const debt = 0.35 + 0.12 * view(1);
    const years = Math.max(0, 8 - 3 * view(2));
    const late = Math.max(0, Math.round(1.2 + 1.1 * view(3)));
    const score = inB && gap < 0.4 ? "" : (640 - 55 * view(4)).toFixed(0);
    // The riskier, the likelier a loan for business.
    const purpose = purposes[Math.min(3, Math.floor(4 * purposeAt ** (risk > 0.7 ? 0.7 : 1)))];
    const defaulted = risk + 0.25 * (luck - 0.5) > 0.7 ? "yes" : "no";
    lines.push(
      [
        i + 1,
        inB ? "B" : "A",
        income.toFixed(1),
        Math.max(0, debt).toFixed(3),
        years.toFixed(1),
        late,
        score,
        purpose,
        defaulted,
      ].join(","),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** The spec of the loans example, as YAML. */
export const loansSpec = `# Who will not repay? In no group should more than 15% of the defaults be missed, and no more than 12% of those who would
# repay should be rejected. Group B has too little information for both to hold.
name: loans
data:
  file: loans.csv
  target: defaulted
  positive: yes
  columns:
    id: ignore
    group: group # for the requirements, not for the model
  test: 0.3
model:
  kind: mlp
  hidden: [8]
objective:
  loss: cross-entropy
  decay: 0.01
requirements:
  missed defaults:
    metric: false-negative-rate
    by: group
    level: 0.15
  false alarms:
    metric: false-positive-rate
    level: 0.12
  risk falls with income:
    metric: monotonicity
    column: income
    direction: decreasing
    level: 0.001
cost: quadratic(2)
seed: 1
`;
