// Many requirements as bands around their median.
import type { Spread } from "../../../src/api.js";
import type { Band, Line } from "./lines.js";

type Quantity = "slack" | "relaxation" | "price";

const colour = "var(--faint)";

/** All of them, and within it four in five. */
export const bandsOf = ({ x, ...spread }: Spread, key: Quantity): Band[] => {
  const [least, low, , high, most] = spread[key];
  return [
    { colour, x, low: least, high: most },
    { colour, x, low, high },
  ];
};

export const medianOf = ({ x, ...spread }: Spread, key: Quantity): Line => ({
  name: "median",
  colour,
  x,
  y: spread[key][2],
});
