// Parts that several places of a spec share.
import * as z from "zod";

export const positive = z.number().positive();
/** A class or a group by its text; YAML reads some texts as numbers or as true and false. */
export const label = z.union([z.string(), z.number(), z.boolean()], { error: "a text" }).transform(String);
export const count = z.int().positive();
