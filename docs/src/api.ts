// The API reference, read from the sources by TypeDoc: one page for each entry of the package, drawn as the other pages are.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import {
  Application,
  type Comment,
  type DeclarationReflection,
  ReferenceReflection,
  ReflectionKind,
  type SignatureReflection,
} from "typedoc";
import { escaped } from "./escaped.js";
import { examplesOf } from "./examples.js";
import type { Framed } from "./frame.js";
import type { Highlight } from "./highlight.js";
import type { Heading } from "./markdown.js";
import { home, root } from "./place.js";

/** What others import, pliant, pliant/engine, @pliant/federation, …, and the file behind each. */
function entries(): Map<string, string> {
  const packages = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));
  return new Map(
    packages.flatMap((folder) => {
      const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      // Wraps Node for the other packages; nobody calls it by itself.
      if (name === "@pliant/platform") return [];
      return Object.entries<Record<string, string>>(exports).map(([path, conditions]): [string, string] => [
        posix.join(name, path),
        join(folder, conditions["pliant-source"]),
      ]);
    }),
  );
}

/** The words of a comment; code in it is code. */
function words(comment: Comment | undefined): string {
  const text = (comment?.summary ?? [])
    .map(({ kind, text }) => (kind === "code" ? text : escaped(text)))
    .join("");
  const html = text.replace(/`([^`]+)`/g, (_, code) => `<code>${escaped(code)}</code>`);
  return html
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part) => `<p>${part}</p>`)
    .join("\n");
}

const call = ({ name, parameters = [], typeParameters = [], type }: SignatureReflection): string => {
  const generics = typeParameters.map(
    (parameter) => `${parameter.name}${parameter.type ? ` extends ${parameter.type}` : ""}`,
  );
  const given = parameters.map(
    (parameter) =>
      `${parameter.flags.isRest ? "..." : ""}${parameter.name.startsWith("__") ? "options" : parameter.name}${parameter.flags.isOptional || parameter.defaultValue ? "?" : ""}: ${parameter.type}`,
  );
  const inOne = `${name}${generics.length ? `<${generics.join(", ")}>` : ""}(${given.join(", ")}): ${type}`;
  if (inOne.length < 100) return inOne;
  return `${name}${generics.length ? `<${generics.join(", ")}>` : ""}(\n${given.map((line) => `  ${line},\n`).join("")}): ${type}`;
};

/** One member of an interface or a class, as it is declared there. */
function member(declaration: DeclarationReflection): string {
  const optional = declaration.flags.isOptional ? "?" : "";
  const comment = commentOf(declaration)
    ?.summary.map(({ text }) => text)
    .join("");
  const above = comment ? `  /** ${comment.replace(/\s+/g, " ").trim()} */\n` : "";
  const lines = declaration.signatures?.map((signature) => `  ${call(signature)};`) ?? [
    `  ${declaration.name}${optional}: ${declaration.type ?? declaration.getSignature?.type};`,
  ];
  return `${above}${lines.join("\n")}`;
}

function declared(item: DeclarationReflection): string {
  const { name, kind, children = [], signatures, type } = item;
  if (signatures) return signatures.map((signature) => `function ${call(signature)}`).join("\n");
  const generics = item.typeParameters?.map((parameter) => parameter.name).join(", ");
  const named = generics ? `${name}<${generics}>` : name;
  // A long text as a type says no more than that it is one.
  if (kind === ReflectionKind.Variable && type?.type === "literal" && String(type).length > 80)
    return `const ${name}: ${typeof type.value}`;
  if (kind === ReflectionKind.Variable) return `const ${name}: ${type}`;
  if (kind === ReflectionKind.TypeAlias) return `type ${named} = ${type}`;
  const own = children.filter((child) => !child.flags.isPrivate && !child.flags.isInherited);
  const above = item.extendedTypes?.length ? ` extends ${item.extendedTypes.join(", ")}` : "";
  const word = kind === ReflectionKind.Class ? "class" : "interface";
  return `${word} ${named}${above} {\n${own.map(member).join("\n")}\n}`;
}

const sourceOf = ({ sources, signatures }: DeclarationReflection): string => {
  const source = sources?.[0] ?? signatures?.[0].sources?.[0];
  return source ? relative(root, source.fullFileName).replaceAll("\\", "/") : "";
};

/** Things that are done come before what they are made of. */
const groups: readonly (readonly [string, readonly ReflectionKind[]])[] = [
  ["Functions", [ReflectionKind.Function]],
  ["Values", [ReflectionKind.Variable, ReflectionKind.Namespace]],
  ["Classes", [ReflectionKind.Class]],
  ["Types", [ReflectionKind.Interface, ReflectionKind.TypeAlias]],
];

function drawn(name: string, items: readonly DeclarationReflection[], highlight: Highlight): Framed {
  const headings: Heading[] = [];
  const parts = [
    `<h1 id="${name.replaceAll("/", "-")}"><code>${name}</code></h1>`,
    `<p>What <code>import { … } from "${name}"</code> offers, read from the sources.</p>`,
  ];
  for (const [group, kinds] of groups) {
    // What is exported under two names stands once.
    const found = items.filter(
      ({ kind, name: own }, i) => kinds.includes(kind) && items.findIndex((item) => item.name === own) === i,
    );
    if (found.length === 0) continue;
    headings.push({ level: 2, id: group.toLowerCase(), text: group });
    parts.push(`<h2 id="${group.toLowerCase()}">${group}</h2>`);
    for (const item of found) {
      headings.push({ level: 3, id: item.name, text: item.name });
      const inside = item.kind === ReflectionKind.Namespace;
      const code = inside
        ? (item.children ?? []).map(declared).join("\n")
        : declared(item).replace(/^function /gm, "");
      parts.push(
        `<h3 id="${item.name}" class="name">${item.name} <small>${escaped(sourceOf(item))}</small></h3>`,
        `<figure class="code"><pre tabindex="0"><code>${highlight(code, "ts")}</code></pre></figure>`,
        words(commentOf(item)),
        example(name, item.name, highlight),
      );
    }
  }
  const address = `api/${name.replaceAll("/", "-")}.html`;
  return { address, title: `\`${name}\``, html: parts.join("\n"), headings };
}

/** A line that a test runs, with what it prints. */
function example(entry: string, name: string, highlight: Highlight): string {
  const found = examplesOf(entry)[name];
  if (!found) return "";
  const code = `${found.code}\n// ${found.prints}`;
  return `<figure class="code"><pre tabindex="0"><code>${highlight(code, "ts")}</code></pre></figure>`;
}

const commentOf = ({ comment, signatures }: DeclarationReflection): Comment | undefined =>
  comment ?? signatures?.[0].comment;

/** What each entry exports. */
export type Api = ReadonlyMap<string, readonly DeclarationReflection[]>;

export async function readApi(): Promise<Api> {
  const found = entries();
  const app = await Application.bootstrap({
    entryPoints: [...found.values()],
    tsconfig: join(home, "api.tsconfig.json"),
    // What compiles is another check's business.
    skipErrorChecking: true,
    excludePrivate: true,
    excludeInternal: true,
    disableGit: true,
    sourceLinkTemplate: "{path}",
    readme: "none",
    logLevel: "Error",
  });
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc could not read the sources.");
  const modules = new Map<string | undefined, DeclarationReflection>(
    (project.children ?? []).map((module) => [module.sources?.[0].fullFileName, module]),
  );
  return new Map(
    [...found].map(([name, file]) => {
      const module = modules.get(file);
      if (!module) throw new Error(`TypeDoc found no ${name}.`);
      // A name and its alias are described once.
      return [name, [...new Set((module.children ?? []).map(itself))]];
    }),
  );
}

/** What is exported twice is described once; the other place refers to it. */
const itself = (item: DeclarationReflection): DeclarationReflection =>
  item instanceof ReferenceReflection ? (item.getTargetReflectionDeep() as DeclarationReflection) : item;

/** What is wrong with the comments of an API, a sentence an entry. */
export const unexplained = (api: Api): string[] =>
  [...api].flatMap(([entry, items]) => {
    const bare = items.filter((item) => !commentOf(item)?.summary.some(({ text }) => text.trim()));
    const named = bare.map((item) => `${item.name} (${sourceOf(item)})`).sort();
    return bare.length > 0 ? [`${entry} has exports without a comment: ${named.join(", ")}.`] : [];
  });

/** Of the package that is installed; those below it are for who works on it. */
export const apiPages = (api: Api, highlight: Highlight): Framed[] =>
  [...api]
    .filter(([name]) => name.split("/")[0] === "pliant")
    .map(([name, items]) => drawn(name, items, highlight));
