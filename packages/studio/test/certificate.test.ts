// Certificates of every version of report are read in one place: residuals, the kind of minimum, and error estimates.
import { describe, expect, test } from "vitest";
import { resultsOf } from "../page/src/lib/said.js";
import { certificateOf, certificateProblem, isCertified, largestResidual } from "../src/certificate.js";
import { requirement } from "./fixtures.js";

const old = {
  ...{ equilibrium: 1e-8, feasibility: 2e-4, complementarity: 3e-4, stationarity: 1e-4, gap: 0 },
  ...{ tolerance: 1e-3, holds: true, short: [] },
};
const estimated = {
  ...{ kind: "local", tolerance: 3e-3, holds: true, short: [] },
  errors: {
    objective: 2e-4,
    prices: { a: 0.002, b: [0.1, 0.3] },
    relaxations: { a: 0.001 },
    values: { a: 0 },
  },
};

describe("a certificate", () => {
  test("of residuals alone is read", () => {
    expect(certificateOf({ certificate: old })).toEqual({
      ...{ holds: true, tolerance: 1e-3, reasons: [] },
      conditions: [
        { name: "equilibrium", residual: 1e-8 },
        { name: "feasibility", residual: 2e-4 },
        { name: "complementarity", residual: 3e-4 },
        { name: "stationarity", residual: 1e-4 },
      ],
    });
    expect(largestResidual(old)).toBe(3e-4);
  });

  test("of error estimates alone is read, and puts an error on every number", () => {
    const found = certificateOf({ certificate: estimated });
    expect(found).toMatchObject({ holds: true, kind: "local", tolerance: 3e-3, conditions: [] });
    expect(found?.errors).toMatchObject({ objective: 2e-4, prices: { a: 0.002, b: 0.3 } });
    const a = requirement({ reached: 0.257, relaxation: 0.157, price: 0.705 });
    const { errors, said } = resultsOf({ certificate: estimated, requirements: { a } }).a;
    expect(errors).toEqual({ price: 0.002, relaxation: 0.001, value: 0 });
    expect([said.price, said.gave]).toEqual(["0.705 ± 0.002", "0.157 ± 0.001"]);
  });

  test("gives the reasons why it does not hold, and the usual tolerance if it states none", () => {
    expect(certificateOf({ certificate: { holds: false, short: ["stalled", 7] } })).toEqual({
      ...{ holds: false, tolerance: 1e-3, reasons: ["stalled"], conditions: [] },
    });
  });

  test("that does not say whether it holds does not", () => {
    expect(isCertified({ certificate: { tolerance: 1e-3 } })).toBe(false);
  });

  test.each([{}, { certificate: {} }, { certificate: null }, null])("is none in %j", (report) => {
    expect([certificateOf(report), isCertified(report)]).toEqual([undefined, false]);
  });

  test.each([
    [{ ...estimated, errors: 3 }, "error estimates that are not an object"],
    [{ ...estimated, errors: { objective: null } }, "an error of the objective that is not a number"],
    [
      { ...estimated, errors: { prices: { a: null } } },
      "an error of a among its prices that is not a number",
    ],
    [{ ...old, gap: 0, feasibility: "0" }, "feasibility that is not a number"],
  ])("that claims to hold by what cannot be read is unreadable", (certificate, what) => {
    expect(certificateProblem(certificate)).toBe(`is certified with ${what}`);
    // A certificate that does not hold claims nothing.
    expect(certificateProblem({ ...certificate, holds: false })).toBeUndefined();
  });

  test("has no largest residual where one is not known", () => {
    expect([largestResidual({ ...old, stationarity: null }), largestResidual(estimated)]).toEqual([
      Number.NaN,
      Number.NaN,
    ]);
  });
});
