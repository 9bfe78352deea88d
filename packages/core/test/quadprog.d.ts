// quadprog comes without types. Its arrays start at 1.
declare module "quadprog" {
  /** min ½xᵀDx − dᵀx where Aᵀx ≥ b, the first `meq` of them equalities. */
  export function solveQP(
    D: number[][],
    d: number[],
    A: number[][],
    b: number[],
    meq?: number,
  ): { solution: number[]; Lagrangian: number[]; value: number[]; message: string };
}
