// Certificates of every version of report are read in one place: residuals, the kind of minimum, and error estimates.
import { describe, expect, test } from "vitest";
import { resultsOf } from "../page/src/words/said.js";
import { certificateOf, certificateProblem, isCertified, largestResidual } from "../src/certificate.js";
import { requirement } from "./fixtures.js";

const old = {
  ...{ equilibrium: 1e-8, feasibility: 2e-4, complementarity: 3e-4, stationarity: 1e-4, gap: 0 },
  ...{ tolerance: 1e-3, holds: true, short: [] },
};
const estimated = {
  ...{ kind: "local", tolerance: 3e-3, holds: true, objectiveError: 1e-4, gap: 0, short: [] },
  errors: { objective: 2e-4, prices: 0.0028, relaxations: 1e-3, values: 0, parameters: 5e-4 },
};

describe("a certificate", () => {
  test("with residuals alone is read", () => {
    expect(certificateOf({ certificate: old })).toEqual({
      ...{ holds: true, tolerance: 1e-3, reasons: [] },
      conditions: [
        { name: "equilibrium", residual: 1e-8 },
        { name: "feasibility", residual: 2e-4 },
        { name: "complementarity", residual: 3e-4 },
        { name: "stationarity", residual: 1e-4 },
      ],
      ...{ estimated: false, together: [] },
    });
    expect(largestResidual(old)).toBe(3e-4);
  });

  test("with error estimates alone is read, and puts an error on every number", () => {
    const found = certificateOf({ certificate: estimated });
    expect(found).toMatchObject({ holds: true, kind: "local", tolerance: 3e-3, estimated: true });
    expect(found?.objectiveError).toBe(1e-4);
    expect(found?.conditions).toEqual(
      Object.entries(estimated.errors).map(([name, residual]) => ({ name, residual })),
    );
    expect(largestResidual(estimated)).toBe(0.0028);
    const a = {
      ...requirement({ reached: 0.257, relaxation: 0.157, price: 0.705 }),
      errors: { price: 0.002, relaxation: 0.001, reached: 0 },
    };
    const { errors, said } = resultsOf({ certificate: estimated, requirements: { a } }).a;
    expect(errors).toEqual({ price: 0.002, relaxation: 0.001, reached: 0 });
    expect([said.price, said.gave]).toEqual(["0.705 ± 0.002", "0.157 ± 0.001"]);
  });

  test("puts no error on a number whose digits hide it, or whose error is not known", () => {
    const a = {
      ...requirement({ reached: 0.257, relaxation: 0.157, price: 0.705 }),
      errors: { price: null, relaxation: 1e-9, reached: 0 },
    };
    const { errors, said } = resultsOf({ certificate: estimated, requirements: { a } }).a;
    expect(errors).toEqual({ relaxation: 1e-9, reached: 0 });
    expect([said.price, said.gave]).toEqual(["0.705", "0.157"]);
  });

  test("tells which prices are determined only together", () => {
    const together = [["a", "b"], [], 3];
    expect(certificateOf({ certificate: { ...estimated, together } })?.together).toEqual([["a", "b"]]);
  });

  test("that does not hold may have errors that are not known", () => {
    const errors = { ...estimated.errors, prices: null };
    const found = certificateOf({ certificate: { ...estimated, holds: false, errors } });
    expect(found?.conditions[1]).toEqual({ name: "prices", residual: Number.NaN });
    // On the way only some are estimated.
    expect(largestResidual({ ...estimated, errors })).toBe(1e-3);
    expect(largestResidual({ ...estimated, errors: { objective: null } })).toBe(Number.NaN);
  });

  test("gives the reasons why it does not hold, and the usual tolerance if it states none", () => {
    expect(certificateOf({ certificate: { holds: false, short: ["stalled", 7] } })).toEqual({
      ...{ holds: false, tolerance: 1e-3, reasons: ["stalled"], conditions: [] },
      ...{ estimated: false, together: [] },
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
    [{ ...estimated, errors: { objective: null } }, "an error of its objective that is not a number"],
    [{ ...estimated, errors: { prices: { a: 0.1 } } }, "an error of its prices that is not a number"],
    [{ ...estimated, tolerance: "0" }, "tolerance that is not a number"],
    [{ ...old, gap: 0, feasibility: "0" }, "feasibility that is not a number"],
  ])("that claims to hold by what cannot be read is unreadable", (certificate, what) => {
    expect(certificateProblem(certificate)).toBe(`is certified with ${what}`);
    // A certificate that does not hold claims nothing.
    expect(certificateProblem({ ...certificate, holds: false })).toBeUndefined();
  });

  test("has no largest residual where one is not known", () => {
    expect([largestResidual({ ...old, stationarity: null }), largestResidual({ holds: true })]).toEqual([
      Number.NaN,
      Number.NaN,
    ]);
  });
});
