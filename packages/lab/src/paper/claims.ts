// Every claim of the paper that a run or a computation could refute, with its place in the paper. Items and theory checks report
// on them by id; the page lists all of them, checked or not.

export interface PaperClaim {
  readonly id: string;
  /** The paper's label of the statement, table, figure or section. */
  readonly label: string;
  readonly text: string;
  /** A test of the repository that checks it, where no recorded number does. */
  readonly test?: string;
}

const theory: readonly PaperClaim[] = [
  {
    id: "perturbation-decreases",
    label: "eqn_the_problem",
    text: "P*(u) does not increase in any component of u",
  },
  {
    id: "perturbation-convex",
    label: "prop:pert_cvx",
    text: "P̃(u) is convex for non-convex losses, if the distributions have no atoms and the class is decomposable",
  },
  {
    id: "epigraph-convex",
    label: "lemma-epi",
    text: "under the same conditions the attainable losses form a convex set",
  },
  {
    id: "strong-duality",
    label: "lemma_strong_duality",
    text: "convexity of P̃ and a strictly feasible point give strong duality",
  },
  {
    id: "translation-invariant",
    label: "def_resilient",
    text: "the equilibrium does not change if a constant is added to the objective",
  },
  {
    id: "affects-stringent-more",
    label: "def_resilient",
    text: "the equilibrium relaxes difficult requirements more",
  },
  {
    id: "first-figure",
    label: "fig_equilibrium",
    text: "the easy problem is barely relaxed, the difficult one clearly, the infeasible one becomes feasible",
  },
  {
    id: "diminishing-returns",
    label: "def_resilient",
    text: "from u* relaxing by ε costs at least ∇h(u*)·ε, and tightening by ε raises the optimum by at least as much",
  },
  { id: "exists", label: "prop:uniqueness", text: "a resilient equilibrium exists" },
  { id: "unique", label: "prop:uniqueness", text: "it is unique if h is strictly convex" },
  {
    id: "cost-slope-grows",
    label: "prop:subdiff_inc",
    text: "relaxing one requirement does not decrease the cost's slope in it",
  },
  {
    id: "sensitivity-falls",
    label: "prop:subdiff_inc",
    text: "relaxing one requirement does not increase the objective's sensitivity to it",
  },
  {
    id: "qualification-mild",
    label: "ass_constraint_qualification",
    text: "the constraint qualification is mild, as the relaxation in it may be large",
  },
  {
    id: "multipliers",
    label: "prop_subdifferential",
    text: "∇h(u*) = λ*(u*) gives a resilient relaxation, and P̃(u*) = D̃(u*)",
  },
  {
    id: "multipliers-converse",
    label: "prop_subdifferential",
    text: "under continuity all resilient relaxations satisfy ∇h(u*) = λ*(u*)",
  },
  {
    id: "joint",
    label: "prop_joint",
    text: "an equilibrium solves the joint problem in model and relaxations",
  },
  { id: "joint-converse", label: "prop_joint", text: "a solution of the joint problem is an equilibrium" },
  {
    id: "limit-constrained",
    label: "prop_unconstrained",
    text: "a large enough α keeps every relaxation below ε",
  },
  { id: "limit-constrained-alpha", label: "prop_unconstrained", text: "the α of the proof is large enough" },
  {
    id: "limit-unconstrained",
    label: "prop_unconstrained",
    text: "a small enough α leaves every requirement within ε of the unconstrained model's loss",
  },
  {
    id: "penalty",
    label: "eqn_penalty",
    text: "a linear cost is a fixed penalty, if the requirements' losses are not below their levels",
  },
  { id: "svm", label: "eqn_svm", text: "the soft-margin SVM is a resilient problem with a linear cost" },
  {
    id: "dual-clipping",
    label: "exp:fl",
    text: "clipping the dual variables is the heuristic that relaxations replace",
  },
  {
    id: "theorem",
    label: "teo-emp-dual-bound",
    text: "|P̃* − D̂*| is within the bound with probability 1 − (3m + 2)δ",
  },
  {
    id: "theorem-approximation",
    label: "parametrization_gap",
    text: "the parametrised dual value is between P̃* and P̃* + h(u* + Mν) − h(u*) + Mν",
  },
  {
    id: "theorem-generalisation",
    label: "prop:emp_gap",
    text: "the empirical dual value is within (1 + Δ)ξ(N, δ) of the parametrised one",
  },
  {
    id: "algorithm-converges",
    label: "alg",
    text: "the algorithm approximates the saddle point, also if the inner problem is not convex",
  },
  {
    id: "empirical-unlearnable",
    label: "S:ecrm",
    text: "the empirical constrained problem finds the example's value with vanishing probability",
  },
  {
    id: "relaxed-unlearnable",
    label: "S:relaxed",
    text: "relaxations fixed below the sampling error, or too large, fail too",
  },
  {
    id: "resilient-learnable",
    label: "a:example",
    text: "from some N on the resilient problem finds the example's best model with probability 1 − 2e^(−0.08N)",
  },
];

const federated: readonly PaperClaim[] = [
  { id: "minority-loss", label: "fig:perturb", text: "clients with more minority data have a higher loss" },
  {
    id: "overhead",
    label: "exp:fl",
    text: "sharing dual variables adds a negligible overhead of communication",
  },
  { id: "minority", label: "fig:perturb", text: "clients with more minority data are relaxed more" },
  { id: "alpha-relaxation", label: "fig:perturb", text: "a larger α means smaller relaxations" },
  { id: "alpha-loss", label: "fig:perturb", text: "a smaller α means a lower mean loss" },
  {
    id: "alpha-limit",
    label: "fig:perturb",
    text: "as α grows relaxations vanish and the constrained problem is approached",
  },
  {
    id: "alpha-worst",
    label: "fig:a:cost_vs_performance",
    text: "larger relaxations lead to clients with higher losses",
  },
  {
    id: "violating-train",
    label: "fig:perturb",
    text: "fewer clients are infeasible at the end of training, resilient against constrained",
  },
  {
    id: "violation-test",
    label: "fig:perturb",
    text: "the largest test violation is larger for constrained clients",
  },
  { id: "violation-across", label: "a:fig:constraint_sat", text: "and so it is across ε and ρ" },
  { id: "strict-generalises", label: "a:fig:constraint_sat", text: "a stricter ε generalises worse" },
  {
    id: "gap",
    label: "fig:a:generalization",
    text: "the largest generalisation gap is smaller for resilient",
  },
  { id: "ranks-most", label: "table:imp:fl", text: "most ranks are at least as accurate as constrained" },
  { id: "ranks-few", label: "table:imp:fl", text: "a few lose more than any gains" },
  {
    id: "ranks-imbalance",
    label: "a:fig:acc_ordered_cifar",
    text: "both are more pronounced at the higher imbalance",
  },
  {
    id: "duals-levels",
    label: "fig:constraint_sat",
    text: "the largest dual variable is smaller for resilient, whatever ε",
  },
  {
    id: "duals-imbalance",
    label: "fig:a:dual_vs_imbalance",
    text: "the largest dual variable is smaller for resilient, whatever ρ",
  },
  {
    id: "duals-grow",
    label: "fig:a:dual_vs_imbalance",
    text: "constrained dual variables grow with the imbalance",
  },
  {
    id: "mean-similar",
    label: "table:res:spread-acc",
    text: "the mean accuracy is similar to constrained and to the ratio loss",
  },
  {
    id: "iqr",
    label: "table:res:spread-acc",
    text: "the interquartile range is generally smaller than constrained",
  },
  { id: "range", label: "table:res:spread-acc", text: "the range is larger than constrained" },
  { id: "cost-similar", label: "table:res:cost-abl", text: "mean and spread are similar for β = 1, 2 and 4" },
  { id: "cost-infinity-mean", label: "table:res:cost-abl", text: "β = ∞ has a lower mean accuracy" },
  { id: "cost-infinity-range", label: "table:res:cost-abl", text: "β = ∞ has a smaller range" },
  { id: "cost-infinity-iqr", label: "table:res:cost-abl", text: "β = ∞ has a larger interquartile range" },
  {
    id: "rates-insensitive",
    label: "table:res:lr-abl",
    text: "the mean accuracy is not overly sensitive to the two rates",
  },
  {
    id: "rates-suboptimal",
    label: "table:res:lr-abl",
    text: "the rates of the other experiments, η_u = 0.1 and η_λ = 2, are not the best",
  },
  {
    id: "private",
    label: "exp:fl",
    text: "with a separable h every client updates its own relaxation",
    test: "packages/federation/test/equality.test.ts",
  },
];

const invariance: readonly PaperClaim[] = [
  {
    id: "linear-dynamics",
    label: "table:inv:cost-abl",
    text: "the algorithm with β = 1 can lead to other solutions than a fixed penalty",
  },
  {
    id: "own-least",
    label: "fig:invariance",
    text: "the transformation that a set was made with is relaxed least",
  },
  {
    id: "duals-smaller",
    label: "fig:invariance",
    text: "resilient dual variables are smaller than constrained ones",
  },
  {
    id: "beats-constrained",
    label: "table:acc:synthetic-invariance-constraint",
    text: "resilient is more accurate than constrained",
  },
  {
    id: "beats-unconstrained",
    label: "table:acc:synthetic-invariance-constraint",
    text: "resilient is more accurate than unconstrained",
  },
  {
    id: "similar-augerino",
    label: "table:acc:synthetic-invariance-constraint",
    text: "resilient is as accurate as Augerino, or more",
  },
  { id: "linear-best", label: "table:inv:cost-abl", text: "β = 1 is the most accurate of the four costs" },
];

export const paperClaims: readonly PaperClaim[] = [...theory, ...federated, ...invariance];

export const paperClaim = (id: string): PaperClaim => {
  const found = paperClaims.find((claim) => claim.id === id);
  if (!found) throw new Error(`the paper makes no claim called ${id}`);
  return found;
};
