// Command lines: every option carries its description, so --help and completions come from the parser's own table.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { didYouMean, InputError } from "@pliant/core";

interface Option extends Readonly<NonNullable<ParseArgsConfig["options"]>[string]> {
  /** Its description in the help, as a phrase. */
  about: string;
  /** The placeholder of its value in the help, for an option that takes one. */
  value?: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface Form<O extends Options = Options> {
  /** As in `train SPEC`. */
  readonly usage: string;
  /** The description of the command in its help. */
  readonly about: string;
  readonly options: O;
}

/** Thrown when help is asked for, with the text to print as its message. */
export class HelpAsked extends Error {
  constructor(
    message: string,
    /** The options of the command, if it has any. */
    readonly form?: Form,
  ) {
    super(message);
  }
}

type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>
>;

export function readArgs<O extends Options>(args: string[], form: Form<O>): Parsed<O> {
  const { options, usage } = form;
  const ends = args.indexOf("--");
  const words = ends < 0 ? args : args.slice(0, ends);
  if (words.includes("--help") || words.includes("-h")) throw new HelpAsked(helpText(form), form);
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (reason) {
    const [, name] = /Unknown option '(-[^']*)'/.exec((reason as Error).message) ?? [];
    if (name === undefined) throw reason;
    const meant = didYouMean(name.replace(/^-+/, ""), Object.keys(options), (known) => `--${known}`);
    const [command] = usage.split(/ (?=[A-Z["]|\.\.\.)/);
    throw new InputError(`unknown option ${name}${meant} pliant ${command} --help lists the options.`);
  }
}

function helpText({ usage, about, options }: Form<Options>): string {
  const list = Object.entries(options).map(([name, option]): [string, string] => [
    `--${name}${option.type === "string" ? ` ${option.value ?? "VALUE"}` : ""}`,
    `${option.about}${typeof option.default === "string" ? ` (default: ${option.default})` : ""}${option.multiple ? "; repeatable" : ""}`,
  ]);
  const width = Math.max(0, ...list.map(([name]) => name.length));
  return [
    `Usage: pliant ${usage}${list.length > 0 ? " [options]" : ""}`,
    "",
    about,
    ...(list.length > 0 ? ["", ...list.map(([name, what]) => `  ${name.padEnd(width)}  ${what}`)] : []),
  ].join("\n");
}

/** For a command that takes options only. */
export function refuseWords(words: readonly string[], command: string): void {
  if (words.length > 0)
    throw new InputError(`unexpected argument "${words.join(" ")}"; pliant ${command} takes options only.`);
}
