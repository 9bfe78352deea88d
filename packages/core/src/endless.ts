// Whether an objective that is next to nothing has a minimum there. Where data can be separated and nothing holds the parameters, each
// loss falls like e^(−t) as they grow, slopes and all, and where steps ended is no equilibrium of anything. A fit without error is as
// close to 0 and has one: parameters of another size fit worse.
import { type Backend, compile, full, mapTree, readAll, type Stored, type Tensor } from "@pliant/engine";
import type { Arrangement, Terms } from "./arrangement.js";
import { manyTimes, roundings } from "./certificate.js";
import type { Traced } from "./problem.js";
import type { StoredState } from "./state.js";

/** Parameters a tenth larger lower what falls without end; twice as large, they leave less than half of it. */
const [little, twice] = [1.1, 2];
/** What rounds to 0 was this little shortly before, beside what it is without parameters. */
const nothing = 1e-6;
/** No parameters are larger than what half of them, so many times, makes small. */
const halvings = 130;

export function endless<P, D, N extends string>(
  { evaluate, dtype }: Arrangement<P, D, N>,
  data: unknown,
  backend: Backend,
) {
  const grown = compile(
    (params: Traced<P>, by: Tensor, prices: Tensor[], d: D, terms: Terms<Tensor>) => {
      const { objective, slacks } = evaluate(
        mapTree(params, (p: Tensor) => p.mul(by)) as Traced<P>,
        d,
        terms,
      );
      const burdens = slacks.map((g, i) => prices[i].mul(g));
      const all = (of: (burden: Tensor) => Tensor): Tensor =>
        burdens.map((burden) => of(burden).sum()).reduce((a, b) => a.add(b));
      return { objective, burden: all((b) => b), summed: all((b) => b.abs()) };
    },
    { backend },
  );
  const epsilon = dtype === "float64" ? 2 ** -52 : 2 ** -23;

  const falls = async (
    { params, prices }: Pick<StoredState, "params" | "prices">,
    terms: Terms<Stored>,
  ): Promise<boolean> => {
    const at = async (by: number) => {
      const given = [params, full([], by, dtype), prices, data, terms] as never[];
      const seen = await readAll(await grown(...(given as [never, never, never, never, never])));
      return { objective: seen.objective.item(), burden: seen.burden.item(), summed: seen.summed.item() };
    };
    const here = await at(1);
    const burdensNoMore = ({ burden }: { burden: number }): boolean =>
      burden <= here.burden + roundings * epsilon * here.summed;
    const far = await at(twice);
    if (!burdensNoMore(far)) return false;
    if (here.objective !== 0) {
      const near = await at(little);
      if (!(burdensNoMore(near) && near.objective < here.objective)) return false;
      if (here.objective > 0 && far.objective < here.objective / twice) return true;
      // Of what is above a constant, or below 0, it is not known what half of it would be; far out it would have risen.
      const rounding = roundings * epsilon * Math.abs(here.objective);
      if (!(far.objective < here.objective - rounding)) return false;
      const out = await at(manyTimes);
      return burdensNoMore(out) && out.objective <= far.objective;
    }
    const without = (await at(0)).objective;
    for (let k = 1; k <= halvings && far.objective === 0; k++) {
      const { objective } = await at(twice ** -k);
      if (objective !== 0) return Math.abs(objective) < nothing * Math.abs(without);
    }
    return false;
  };
  return Object.assign(falls, { release: () => grown.release() });
}
