// The requirements of a spec: each metric with its keys.
import * as z from "zod";
import { asked } from "../grammar/keys.js";
import type { MetricKind } from "./kind.js";
import { kinds } from "./kinds.js";

type SchemaOf<Of> =
  Of extends MetricKind<infer Name, infer Keys>
    ? z.ZodObject<{ metric: z.ZodLiteral<Name> } & typeof asked & Keys, z.core.$strict>
    : never;
type Schemas<Of extends readonly unknown[]> = { -readonly [I in keyof Of]: SchemaOf<Of[I]> };

const schemas = kinds.map(({ name, keys }) =>
  z.strictObject({ metric: z.literal(name), ...asked, ...keys }),
) as unknown as Schemas<typeof kinds>;

export const requirement = z.discriminatedUnion("metric", schemas);

export type RequirementSpec = z.infer<typeof requirement>;
