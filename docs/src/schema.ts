// Every key of a spec, from its JSON Schema, which the command writes: `pliant schema --out docs/spec.schema.json`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escaped } from "./escaped.js";
import type { Framed } from "./frame.js";
import type { Heading } from "./markdown.js";
import { home } from "./place.js";

/** What is read of JSON Schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** What a value may be, in words. */
export function taken(schema: Schema): string {
  const { anyOf, oneOf, type, items, prefixItems, properties, additionalProperties } = schema;
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum) return schema.enum.join(", ");
  const either = anyOf ?? oneOf;
  if (either) return [...new Set(either.map(taken))].join("; or ");
  if (prefixItems) return `[${prefixItems.map(taken).join(", ")}]`;
  if (type === "array") return `list of ${typeof items === "object" ? taken(items) : "anything"}`;
  if (properties) {
    const inside = Object.entries(properties).map(([name, property]) => `${name}: ${taken(property)}`);
    return `{ ${inside.join(", ")} }`;
  }
  if (typeof additionalProperties === "object") return `by name: ${taken(additionalProperties)}`;
  return [type ?? "anything"].flat().join(" or ").replaceAll("boolean", "true or false");
}

interface Key {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** The kinds that have it, where not all do. */
  readonly of: readonly string[];
}

/** The keys of an object, or of one that has several kinds, told apart by a key with one value each. */
export function keysOf(schema: Schema): Key[] {
  const kinds = schema.oneOf ?? [schema];
  const names = [...new Set(kinds.flatMap((kind) => Object.keys(kind.properties ?? {})))];
  const [teller] = names.filter((name) =>
    kinds.every((kind) => kind.properties?.[name]?.const !== undefined),
  );
  const called = (kind: Schema): string => String(kind.properties?.[teller]?.const);
  return names.map((name) => {
    const having = kinds.filter((kind) => kind.properties?.[name]);
    const [{ properties }] = having;
    return {
      name,
      schema: name === teller && kinds.length > 1 ? { enum: having.map(called) } : properties![name],
      required: having.every(({ required }) => required?.includes(name)) && having.length === kinds.length,
      of: having.length < kinds.length ? having.map(called) : [],
    };
  });
}

const code = (text: string): string => `<code>${escaped(text)}</code>`;

function table(title: string, keys: readonly Key[]): string {
  const rows = keys.map(({ name, schema, required, of }) => {
    const { description = "", default: preset } = schema;
    const plain = preset !== undefined && typeof preset !== "object";
    const notes = [
      escaped(description),
      required ? "Required." : "",
      plain ? `Default: ${code(String(preset))}.` : "",
      of.length ? `Only for ${of.map(code).join(", ")}.` : "",
    ].filter(Boolean);
    return `<tr><td>${code(name)}</td><td>${escaped(taken(schema))}</td><td>${notes.join(" ")}</td></tr>`;
  });
  return (
    `<div class="scroll" tabindex="0" role="region" aria-label="Keys of ${title}"><table><thead><tr><th>key</th><th>takes</th>` +
    `<th>what it says</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`
  );
}

export function schemaPage(): Framed {
  const schema: Schema = JSON.parse(readFileSync(join(home, "spec.schema.json"), "utf8"));
  const inside = (schema: Schema): Schema | undefined => {
    if (schema.oneOf || schema.properties) return schema;
    const { additionalProperties: values } = schema;
    return typeof values === "object" && values.oneOf ? values : undefined;
  };
  const headings: Heading[] = [];
  const parts = [
    '<h1 id="every-key-of-a-spec">Every key of a spec</h1>',
    `<p>Made from the <a href="spec.schema.json">JSON Schema</a> that validates specs. <a href="spec.html">Specs</a> explains the keys.</p>`,
  ];
  const all = keysOf(schema);
  const section = (title: string, about: string, keys: readonly Key[]): void => {
    headings.push({ level: 2, id: title.replaceAll(" ", "-"), text: title });
    parts.push(
      `<h2 id="${title.replaceAll(" ", "-")}">${title}</h2>`,
      `<p>${escaped(about)}</p>`,
      table(title, keys),
    );
  };
  section(
    "a spec",
    "At the top.",
    all.map((key) =>
      inside(key.schema)
        ? { ...key, schema: { description: key.schema.description, type: "see below" } }
        : key,
    ),
  );
  for (const { name, schema: each } of all) {
    const of = inside(each);
    if (of) section(name, each.description ?? "", keysOf(of));
  }
  return {
    address: "schema.html",
    title: "Every key of a spec",
    wide: true,
    html: parts.join("\n"),
    headings,
  };
}
