// Matrix products as ONNX's Gemm, α·A·B + β·C: it reads transposed matrices in place, is several times faster than
// MatMul on a vector, and adds a product to a matrix without an intermediate. And what else is fewer operators than it seems.
import { full } from "../../ndarray.js";
import { mul } from "../../ops/binary.js";
import { matmulOp } from "../../ops/linear.js";
import { transposeOp } from "../../ops/movement.js";
import { sameShape } from "../../shape.js";
import { is, isConstant, splatOf, type Tensor } from "../../tensor.js";
import type { OnnxGraph } from "./graph.js";
import { elementTypes } from "./proto.js";

const isProduct = (node: Tensor): boolean => is(node, matmulOp) && node.rank === 2 && node.dtype !== "int32";

function gemm(graph: OnnxGraph, product: Tensor, alpha: number, addend?: Tensor): string {
  const sides = product.inputs.map((x) => {
    const turned = is(x, transposeOp);
    return { x: turned ? x.inputs[0] : x, turned };
  });
  const inputs = [...sides.map(({ x }) => x), ...(addend ? [addend] : [])].map((x) => graph.nameOf(x));
  return graph.op("Gemm", inputs, {
    alpha: { float: alpha },
    transA: sides[0].turned ? 1 : 0,
    transB: sides[1].turned ? 1 : 0,
  });
}

/** A product of two matrices, where Gemm can do it. */
export const onnxProduct = (graph: OnnxGraph, node: Tensor): string | undefined =>
  isProduct(node) ? gemm(graph, node, 1) : undefined;

/** A product nobody else reads: it may be computed inside its reader. */
const isOwn = (graph: OnnxGraph, node: Tensor): boolean => isProduct(node) && graph.hasOneReader(node);

/** A·B + c, a dense layer with its bias, as one Gemm. */
export function onnxAffine(graph: OnnxGraph, node: Tensor): string | undefined {
  const [product, bias] = node.inputs;
  const fits = isOwn(graph, product) && sameShape(product.shape, node.shape) && bias.rank <= 2;
  return fits ? gemm(graph, product, 1, bias) : undefined;
}

/**
 * The operands of a product or quotient of floats of which one is a number. The runtime's optimiser would fuse a constant of one
 * element into a product of matrices beside it, as an attribute, in which a float64 loses half of its digits: so it has several.
 */
export function onnxFactors(
  graph: OnnxGraph,
  names: readonly string[],
  { inputs, dtype, shape }: Tensor,
): readonly string[] {
  if (dtype !== "float64" || shape.length < 2) return names;
  return names.map((name, i) => {
    const factor = inputs[i];
    if (!isConstant(factor) || factor.size !== 1) return name;
    const axis = shape.findLastIndex((d) => d > 1);
    if (axis >= 0) {
      const repeated = shape.map((d, k) => (k === axis ? d : 1));
      return graph.constant(full(repeated, splatOf(factor)!, dtype));
    }
    // With a single element this is 0, which the optimiser does not know.
    const whole = graph.op("Cast", [names[1 - i]], { to: elementTypes.int64 });
    return graph.op("Add", [name, graph.cast(graph.op("Sub", [whole, whole]), dtype)]);
  });
}

/**
 * A short row added to each of many, as to the rows of each layer of a stack: the runtime goes from row to row, at four times the
 * cost of a sum of equals, so the row is repeated first, by a product with ones.
 */
export function onnxRowAdded(graph: OnnxGraph, node: Tensor): string | undefined {
  const [x, row] = sameShape(node.inputs[0].shape, node.shape) ? node.inputs : [...node.inputs].reverse();
  const [rows, length] = node.shape.slice(-2);
  const repeats = node.shape.map((d, axis) => (axis === node.rank - 2 ? 1 : d));
  const isRow = node.rank > 1 && sameShape(row.shape, repeats) && sameShape(x.shape, node.shape);
  if (!isRow || node.dtype !== "float32" || length > shortRow || node.size < manyRows) return undefined;
  const ones = graph.op("Expand", [graph.scalar(1, node.dtype), graph.ints([rows, 1])]);
  return graph.op("Add", [graph.nameOf(x), graph.op("MatMul", [ones, graph.nameOf(row)])]);
}
const shortRow = 64;
const manyRows = 20_000;

/** W − rate·(A·B), the update of a dense layer, as one Gemm. */
export function onnxUpdate(graph: OnnxGraph, node: Tensor): string | undefined {
  const [w, change] = node.inputs;
  // The factor is a float32 in the model, so a float64 update would lose digits.
  if (!is(change, mul.op) || node.dtype !== "float32" || !sameShape(w.shape, node.shape)) return undefined;
  const [product, factor] = isProduct(change.inputs[0]) ? change.inputs : [...change.inputs].reverse();
  const rate = factor.size === 1 ? splatOf(factor) : undefined;
  // The runtime's product with a vector is several times faster, and knows no factor.
  const own = isOwn(graph, product) && graph.hasOneReader(change) && !product.shape.includes(1);
  // Multiplied by 0 the product would not be computed at all, NaN in it or not.
  const multiplies = rate !== undefined && rate !== 0 && Number.isFinite(rate);
  return own && multiplies ? gemm(graph, product, -rate, w) : undefined;
}

/**
 * x where c holds and a fraction of it elsewhere, the gradient of a leaky ReLU: x times 1 or the fraction, which is the same to
 * the last bit. The runtime's Where takes the time of several such products.
 */
export function onnxScaled(
  graph: OnnxGraph,
  [c, x]: readonly string[],
  { dtype, shape, inputs: [condition, whole, scaled] }: Tensor,
): string | undefined {
  if (!is(scaled, mul.op) || dtype !== "float32") return undefined;
  const [of, factor] = scaled.inputs[0] === whole ? scaled.inputs : [...scaled.inputs].reverse();
  const fraction = factor.size === 1 ? splatOf(factor) : undefined;
  const equal = [condition, whole].every((operand) => sameShape(operand.shape, shape));
  if (of !== whole || !equal || !(fraction! > 0 && fraction! < 1)) return undefined;
  const factors = graph.op("Max", [graph.cast(c, dtype), graph.scalar(fraction!, dtype)]);
  return graph.op("Mul", [x, factors]);
}
