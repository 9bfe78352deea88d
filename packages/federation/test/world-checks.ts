// Everything that must be so of a world, whatever happened in it.
import { toyValue, type World, type WorldOptions } from "./world.js";

/** Everything the fault table promises of a world, as sentences about what it broke. */
export function broken(
  { rows: all, disks, finished, violations, said, ended, removed }: World,
  {
    exchanges,
    least,
    plain,
    budgets,
    liars = [],
    framers = {},
    instead,
    leavers = {},
    latecomers = {},
  }: WorldOptions,
): string[] {
  const wrong = [...violations];
  const rows = all.filter((row) => !row.void);
  if (!finished)
    wrong.push(`the run did not finish: ${rows.length} of ${exchanges}, ${said.slice(-3).join(" | ")}`);
  const spent = [...disks.values()].filter((disk, i) => disk.spent?.all.steps === budgets?.[i]).length;
  const others = new Set([
    ...liars,
    ...Object.keys(framers),
    ...(instead ? [instead.site] : []),
    ...Object.keys(leavers),
    ...Object.keys(latecomers),
    ...removed.keys(),
  ]);
  if (ended !== undefined && disks.size - spent - others.size >= least)
    wrong.push(`it ended although ${disks.size - spent} sites have something left: ${ended}`);
  // A round that was given up after its first exchange has one sum without the other.
  const [rounds, voids] = [exchanges / 2, all.length - rows.length];
  if (finished && ended === undefined && (rows.length < exchanges || rows.length > exchanges + voids))
    wrong.push(`it finished ${rounds} rounds with ${rows.length} sums and ${voids} given up`);
  for (const [i, row] of all.entries())
    if (row.exchange !== i) wrong.push(`row ${i} is of exchange ${row.exchange}`);
  const counted = new Map([...disks.keys()].map((name) => [name, 0]));
  for (const [i, row] of rows.entries()) {
    if (row.survivors.length < least) wrong.push(`exchange ${i} was summed over ${row.survivors.length}`);
    const values = row.survivors.map((name) => toyValue(name, row.position, { counted: counted.get(name)! }));
    const sum = values.reduce((a, b) => a + b, 0);
    if (Math.abs(sum - row.value) > (plain ? 1e-12 : 0))
      wrong.push(`exchange ${i} is ${row.value}, not ${sum}`);
    const mean = values.reduce((a, b) => a + b / 4, 0) / values.length;
    if (Math.abs(mean - row.mean) > 1e-12)
      wrong.push(`the mean of exchange ${i} is ${row.mean}, not ${mean}`);
    for (const name of row.survivors) counted.set(name, counted.get(name)! + 1);
    // A census wherever the roster is another than before, and whenever all that are present took part.
    const before = rows[i - 1] ?? { meanPrice: 0, present: disks.size };
    const prices = row.survivors.map((name) => counted.get(name)! / 8);
    const priced =
      row.census || row.present !== before.present || row.present === row.survivors.length
        ? prices.reduce((a, b) => a + b, 0) / prices.length
        : before.meanPrice + row.survivors.length / 8 / row.present;
    if (Math.abs(priced - row.meanPrice) > 1e-12)
      wrong.push(`the mean price after ${i} is ${row.meanPrice}, not ${priced}`);
    if (row.survivors.length > row.present) wrong.push(`exchange ${i} counts sites that have left`);
  }
  for (const [name, disk] of disks)
    if (
      finished &&
      !removed.has(name) &&
      leavers[name] === undefined &&
      disk.state.counted !== counted.get(name)
    )
      wrong.push(`${name} moved ${disk.state.counted} times and was counted ${counted.get(name)} times`);
  return wrong;
}
