// The line on which a map of the square is 0: marching squares over a grid of its values.

/** Segments [x1, y1, x2, y2] in units of grid cells, from values row by row. */
export function zeroLine(values: ArrayLike<number>, side: number): [number, number, number, number][] {
  const segments: [number, number, number, number][] = [];
  const at = (i: number, j: number): number => values[j * side + i];
  for (let j = 0; j + 1 < side; j++)
    for (let i = 0; i + 1 < side; i++) {
      const corners = [
        [i, j, at(i, j)],
        [i + 1, j, at(i + 1, j)],
        [i + 1, j + 1, at(i + 1, j + 1)],
        [i, j + 1, at(i, j + 1)],
      ] as const;
      const crossings: [number, number][] = [];
      for (const [k, [x, y, v]] of corners.entries()) {
        const [nextX, nextY, next] = corners[(k + 1) % 4];
        if (v > 0 === next > 0) continue;
        const part = v / (v - next);
        crossings.push([x + part * (nextX - x), y + part * (nextY - y)]);
      }
      for (let k = 0; k + 1 < crossings.length; k += 2) segments.push([...crossings[k], ...crossings[k + 1]]);
    }
  return segments;
}
