// Numbers to the last bit, for tests that compare so.
import { array, type NdArray } from "@pliant/engine";

export const float64 = (values: readonly number[]): NdArray => array([...values], { dtype: "float64" });
