// Affine maps of image coordinates as matrices [..., 2, 3]. A transformed image takes at q what the image has at A·q, with
// q = (x, y) in −1 … 1 from the left and from the top; so a map that enlarges coordinates shrinks what is seen.
import { array, concat, constant, type Tensor } from "@pliant/engine";

/** One matrix a number. */
const times = (factor: Tensor, matrix: number[][]): Tensor =>
  factor.reshape([...factor.shape, 1, 1]).mul(array(matrix, { dtype: factor.dtype }));

const identity = [
  [1, 0, 0],
  [0, 1, 0],
];

/** By angles [...] in radians: rows (cos φ, −sin φ) and (sin φ, cos φ). What is seen turns counter-clockwise. */
export const rotation = (angle: Tensor): Tensor =>
  times(angle.cos(), identity).add(
    times(angle.sin(), [
      [0, -1, 0],
      [1, 0, 0],
    ]),
  );

/** By dx and dy [...]: what is seen moves left and up. */
export const translation = (dx: Tensor, dy: Tensor): Tensor =>
  times(dx, [
    [0, 0, 1],
    [0, 0, 0],
  ])
    .add(
      times(dy, [
        [0, 0, 0],
        [0, 0, 1],
      ]),
    )
    .add(array(identity, { dtype: dx.dtype }));

/** Scales both coordinates by eˢ, s [...]; the image shrinks by as much. */
export const scaling = (s: Tensor): Tensor => times(s.exp(), identity);

/** An image transformed by the first, the result by the second, and so on. */
export const compose = (first: Tensor, ...others: Tensor[]): Tensor =>
  others.reduce((whole, next) => whole.matmul(squared(next)), first);

/** With the row (0, 0, 1) below. */
function squared(matrices: Tensor): Tensor {
  const row = constant(array([[0, 0, 1]], { dtype: matrices.dtype }));
  return concat([matrices, row.broadcastTo([...matrices.shape.slice(0, -2), 1, 3])], matrices.rank - 2);
}
