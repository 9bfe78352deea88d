// pliant reproduce theory: the paper's first figure, learnability example, propositions and theorem as computed numbers.
import { federated, theory } from "@pliant/lab";
import { readArgs, refuseWords } from "../arguments.js";
import { shared } from "../options.js";
import { writeAnswer } from "../streams.js";

export async function reproduceTheory(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce theory",
    about: "Checks the paper's theory: its figure, its example, its propositions and its theorem, on a CPU.",
    options: {
      out: { type: "string", value: "FILE", about: "the file to write the report to; - for standard output" },
      json: shared.json,
    },
  });
  refuseWords(positionals, "reproduce theory");
  const report = await theory.theoryReport();
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (values.out !== undefined) {
    writeAnswer(values.out, text);
    if (values.out === "-") return;
  }
  console.log(
    values.json
      ? text.trimEnd()
      : federated.tableText({
          title: "The paper's theory, claim by claim",
          head: ["claim", "holds", "found"],
          body: report.checks.map(({ id, holds, found }) => [id, holds ? "yes" : "no", found]),
        }),
  );
}
