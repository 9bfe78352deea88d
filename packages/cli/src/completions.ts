// pliant completions: generates shell completion scripts from the option tables of the commands.
import { InputError } from "@pliant/core";
import { type Form, HelpAsked, readArgs } from "./arguments.js";
import { commands } from "./commands.js";
import { oneOf, shared } from "./options.js";

const shells = ["bash", "zsh", "fish"] as const;

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow, such as `fetch` after `data`. */
  readonly words: readonly string[];
  readonly options: readonly {
    readonly name: string;
    readonly about: string;
    readonly takesValue: boolean;
  }[];
}

/** The words and options of a command, from its --help. */
async function completed(name: string): Promise<Completed> {
  const help = await commands[name].run(["--help"]).catch((reason: unknown) => reason);
  const form: Form = (help instanceof HelpAsked && help.form) || { usage: name, about: "", options: {} };
  return {
    name,
    summary: commands[name].summary,
    words: subcommands(form.usage),
    options: Object.entries(form.options).map(([option, { about, type }]) => ({
      name: option,
      about,
      takesValue: type === "string",
    })),
  };
}

/** The subcommands in a usage line: three in `data fetch NAME | check NAME | list`. */
export function subcommands(usage: string): string[] {
  const [first, ...others] = usage.split(" | ");
  if (others.length === 0) return [];
  return [first.split(" ")[1], ...others.map((other) => other.split(" ")[0])];
}

const script = {
  bash: (all: readonly Completed[]): string => `_pliant() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${all.map(({ name }) => name).join(" ")} help"
  else
    case "\${COMP_WORDS[1]}" in
${all
  .map(
    ({ name, words, options }) =>
      `      ${name}) words="${[...words, ...options.map((option) => `--${option.name}`), "--help"].join(" ")}" ;;`,
  )
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in -*) ;; *) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}
complete -o filenames -F _pliant pliant
`,
  zsh: (all: readonly Completed[]): string => `#compdef pliant
_pliant() {
  if (( CURRENT == 2 )); then
    local -a names
    names=(
${all.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join("\n")}
    )
    _describe command names
    return
  fi
  case "\${words[2]}" in
${all
  .map(
    ({ name, words, options }) =>
      `    ${name}) _arguments ${[
        ...(words.length > 0 ? [quoted(`2:action:(${words.join(" ")})`)] : []),
        ...options.map(({ name: option, about, takesValue }) =>
          quoted(`*--${option}[${about.replace(/[[\]:]/g, " ")}]${takesValue ? ":value:_files" : ""}`),
        ),
        quoted("*:file:_files"),
      ].join(" ")} ;;`,
  )
  .join("\n")}
  esac
}
compdef _pliant pliant
`,
  fish: (all: readonly Completed[]): string =>
    `${all
      .flatMap(({ name, summary, words, options }) => [
        `complete -c pliant -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
        ...words.map((word) => `complete -c pliant -n "__fish_seen_subcommand_from ${name}" -a ${word}`),
        ...options.map(
          ({ name: option, about, takesValue }) =>
            `complete -c pliant -n "__fish_seen_subcommand_from ${name}" -l ${option}${takesValue ? " -r" : ""} -d ${quoted(about)}`,
        ),
      ])
      .join("\n")}\n`,
};

const quoted = (text: string): string => `'${text.replaceAll("'", "’")}'`;

export async function completionsCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "completions SHELL",
    about: `Prints a completion script for ${shells.join(", ")}, as in: source <(pliant completions bash)`,
    options: { json: shared.json },
  });
  if (positionals.length !== 1) throw new InputError(`name one shell: ${shells.join(", ")}.`);
  const shell = oneOf("a shell that is known here", positionals[0], shells);
  const text = script[shell](await Promise.all(Object.keys(commands).map(completed)));
  process.stdout.write(values.json ? `${JSON.stringify({ shell, script: text }, null, 2)}\n` : text);
}
