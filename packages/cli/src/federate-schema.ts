// pliant federate inspect and schema: propose a spec that fits all private tables.
import { InputError } from "@pliant/core";
import { readTable } from "@pliant/data";
import { checkInspection, checkSpec, inspectionOf, proposedData } from "@pliant/federation";
import { stringify } from "yaml";
import { readArgs } from "./arguments.js";
import { shared, whole } from "./options.js";
import { readText } from "./streams.js";

export async function inspectCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate inspect FILE",
    about:
      "Prints the columns of a site's table and their categories as JSON, without any row, count or mean. Read it, then send it to the operator.",
    options: {
      rows: {
        type: "string",
        value: "N",
        default: "10",
        about: "leave out categories with fewer rows",
      },
      json: { ...shared.json, about: "print errors as JSON too" },
    },
  });
  if (positionals.length !== 1) throw new InputError("one table is needed: pliant federate inspect FILE.");
  const found = inspectionOf(await readTable(positionals[0]), whole("rows", values.rows));
  console.log(JSON.stringify(found, null, 2));
  return 0;
}

export async function schemaCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "federate schema INSPECTION… --target COLUMN",
    about: "Proposes a spec that fits the tables of all inspected sites, as YAML.",
    options: {
      target: { type: "string", value: "COLUMN", about: "the column to predict" },
      name: { type: "string", value: "NAME", default: "federation", about: "name of the federation" },
      json: shared.json,
    },
  });
  if (positionals.length === 0)
    throw new InputError("name the inspections of the sites: pliant federate schema FILE… --target COLUMN.");
  if (values.target === undefined) throw new InputError("name the column to predict with --target COLUMN.");
  const inspections = positionals.map((file) => {
    const text = readText(file);
    try {
      return checkInspection(JSON.parse(text), file);
    } catch (error) {
      if (error instanceof InputError) throw error;
      // The reason would quote what others wrote.
      throw new InputError(`${file} is not JSON.`);
    }
  });
  const { data, notes } = proposedData(inspections, values.target, positionals);
  const number = inspections.length;
  const spec = {
    name: values.name,
    data: { ...data, test: 0.2 },
    model: { hidden: [8] },
    sites: { number, least: Math.min(3, number), loss: "mean + 0.05" },
    training: { rounds: 20, communicationRounds: 3, rate: 0.2, batch: 32, clip: 5 },
    ...(number < 3 && { sums: { kind: "plain" } }),
  };
  checkSpec(spec);
  const plain = number < 3 ? ["With fewer than 3 sites a sum hides nothing, so sums are not secure."] : [];
  if (values.json) {
    console.log(JSON.stringify({ spec, notes: [...notes, ...plain] }));
    return 0;
  }
  console.log(stringify(spec, { lineWidth: 120 }).trimEnd());
  for (const note of [...notes, ...plain]) console.error(note);
  return 0;
}
