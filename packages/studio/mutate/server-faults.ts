// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code, not templates
// Faults of the server.
import { faultsIn } from "./fault.js";

export const serverFaults = [
  ...faultsIn(
    "src/live.ts",
    ["live", "following"],
    [
      ["no sign of life", "if (quiet >= heartbeat)", "if (false)"],
      ["points come twice", "      place = upTo;\n", ""],
      ["a page that is far behind is told every point", "place.rows - rows > mostPoints", "false"],
      [
        "a changed run is not told of",
        'if (now !== told) await stream.writeSSE({ event: "run", data: now });',
        "",
      ],
    ],
  ),
  ...faultsIn(
    "src/metrics.ts",
    ["series", "following"],
    [
      ["a rewritten file is not read again", "return found.equals(mark);", "return true;"],
      ["half a line is read", "const end = bytes.lastIndexOf(10) + 1;", "const end = bytes.length;"],
      ["a replaced file is read on", "ino !== file || size < offset", "size < offset"],
    ],
  ),
  ...faultsIn(
    "src/downsample.ts",
    ["downsample", "series"],
    [
      ["the greatest is lost", "if (y[rows[i]] > y[rows[high]]) high = i;", ""],
      ["the last is lost", "Math.max(low, high), to];", "Math.max(low, high), from];"],
      [
        "out of order",
        "[from, Math.min(low, high), Math.max(low, high), to]",
        "[from, Math.max(low, high), Math.min(low, high), to]",
      ],
      ["fewer digits", "const places = 5 -", "const places = 1 -"],
    ],
  ),
  ...faultsIn(
    "src/requirement.ts",
    ["page", "compare"],
    [
      [
        "at least is at most",
        'sense === "at least" ? low - reached : reached - high',
        'sense === "at least" ? reached - low : reached - high',
      ],
      [
        "the surrogate is the headline",
        "    reached,\n    ...(isNumber(loss)",
        "    reached: loss as number,\n    ...(isNumber(loss)",
      ],
      ["judged on the rows learnt from", 'text(fields(report).judgedOn) ?? "train"', '"train"'],
      ["hard bends", 'r.hard === true || r.cost === "hard"', "r.hard === true"],
      [
        "what is counted is held against a level of the loss",
        'r.pricedBy === "loss" && isNumber(r.strict)',
        "false",
      ],
    ],
  ),
  ...faultsIn(
    "src/tellable.ts",
    ["page", "answers"],
    [
      ["a count has a slope", 'r.pricedBy === "strict" ? "strict" : "loss"', '"loss"'],
      [
        "known before it is certified",
        "holds: certificate?.holds === true",
        "holds: certificate?.holds !== undefined",
      ],
      ["what was measured is lost", "    ...neighboursOf(r),\n", ""],
      ["out of reach is not known", "...(outOfReach === true && { outOfReach }),", ""],
    ],
  ),
  ...faultsIn(
    "src/quantities.ts",
    ["page"],
    [["the weight of a count is its price", "prices[name]],", "r.price],"]],
  ),
  ...faultsIn(
    "src/look.ts",
    ["server", "differences"],
    [["the best requirement is the worst", "a.excess >= b.excess ? a : b", "a.excess <= b.excess ? a : b"]],
  ),
  ...faultsIn(
    "src/runs.ts",
    ["server", "deleting", "differences"],
    [
      [
        "hidden folders are listed",
        'entry.isDirectory() && !entry.name.startsWith(".")',
        "entry.isDirectory()",
      ],
      ["trained again in place", "return free;", "return path;"],
      ["one that is looked at alone is not told apart", "await apartOf(found)", "null"],
      ["told apart as it was called before", " && run.title === title", ""],
    ],
  ),
  ...faultsIn(
    "src/held-out.ts",
    ["model"],
    [
      ["at the threshold is above it", "if (edges[middle] < score)", "if (edges[middle] <= score)"],
      ["the run's threshold is near an edge", "most, ...own]", "most]"],
      ["a missing group is the first", "(row) => of[row])", "(row) => Math.max(0, of[row]))"],
      ["probabilities may be anything", "p >= 0 && p <= 1", "true"],
      ["groups may have no names", "i === -1 || known[i] !== undefined", "true"],
      ["groups are explained by all rows", "rows, ...explainedIn(one)", "rows, ...explainedIn(value)"],
      ["observed is predicted", "at.observed += target[row];", "at.observed += probability[row];"],
    ],
  ),
  ...faultsIn(
    "src/study.ts",
    ["study"],
    [
      ["each seed of a grid is a study", "sweep.group.slice(0, end + key.length)", "sweep.group"],
      ["a run alone is a study", "return around ?? null;", "return around ?? name;"],
      ["a factor of costs is told as a cost", 'path.at(-1) !== "cost"', "true"],
      ["relaxations of what is not certified", "if (!r.unsettled) values", "if (true) values"],
      ["intervals are lost", "if (measure?.interval)", "if (false)"],
      ["seeds come first", "repeated.includes(name) ? 1 : 0", "repeated.includes(name) ? 0 : 1"],
    ],
  ),
  ...faultsIn(
    "src/readable.ts",
    ["unreadable"],
    [
      [
        "a price that is none is taken for 0",
        '["reached", "relaxation", "price"]',
        '["reached", "relaxation"]',
      ],
      ["what was reached may be anything", '["reached", "relaxation", "price"]', '["relaxation", "price"]'],
      ["a level may be text", 'if (!isLevel(r.level)) return "has no level that is a number";', ""],
      ["a list of requirements is none", "if (!isObject(requirements))", "if (false)"],
    ],
  ),
  ...faultsIn(
    "src/look-in.ts",
    ["server", "unreadable"],
    [
      ["a slow run is stopped", "5 * (last - before) || 0", "0"],
      ["running for ever", "Date.now() - updated < patience", "true"],
      ["unreadable is finished", 'problem === undefined ? "finished" : "unreadable"', '"finished"'],
    ],
  ),
  ...faultsIn(
    "src/files.ts",
    ["notes"],
    [["a note through a link", "await rename(beside, path);", "await writeFile(path, text);"]],
  ),
  ...faultsIn(
    "src/notes.ts",
    ["notes"],
    [
      [
        "the last to write a note wins",
        "if (now[key] === before[key]) return sent[key];",
        "return sent[key];",
      ],
      ["what another wrote is lost", "|| sent[key] === now[key]) return now[key];", ") return sent[key];"],
    ],
  ),
  ...faultsIn(
    "src/questions.ts",
    ["questions"],
    [
      ["a requirement is taken for an option", '"insist", "--json", "--",', '"insist", "--json",'],
      ["all questions run at once", 'entries.some(({ state }) => state === "running")', "false"],
      ["cancelled and still running", 'child?.kill("SIGKILL");\n      }', "}"],
      ["any requirement will do", "!Object.hasOwn(known, requirement)", "false"],
      ["any level will do", "if (!isNumber(level))", "if (false)"],
      ["as many as anybody likes", "open.length >= mostOpen", "false"],
      ["an answer is not kept", "await keepInsisted(folder, answer).catch(() => {});", ""],
      ["a failure is an answer", "code === 0 ?", "true ?"],
      ["asked twice", "if (same) return told(same);", ""],
    ],
  ),
  ...faultsIn(
    "src/readable.ts",
    ["fail-closed"],
    [
      ["unknown words", "r[key] !== undefined && !known.includes(r[key])", "false"],
      ["fields of another type", "r[key] !== undefined && !isOf(type, r[key])", "false"],
      [
        "what the spec asks for and the report does not tell of",
        "fields(fields(fields(run).spec).requirements)",
        "{}",
      ],
    ],
  ),
  ...faultsIn(
    "src/look.ts",
    ["decided"],
    [
      ["counted though one is open", 'status !== undefined && status !== "unknown"', "true"],
      ["counted though certified", "certificateOf(report)?.holds === false &&", ""],
      ["counted without a decision", "object(report.decision) !== undefined &&", ""],
    ],
  ),
  ...faultsIn(
    "src/certificate.ts",
    ["certificate", "unreadable"],
    [
      ["NaN errors are certified", "if (!lost) return", "if (true) return"],
      ["a certificate that says nothing holds", 'if (typeof c.holds !== "boolean")', "if (false)"],
      ["what does not say so holds", "holds: holds === true", "holds: holds !== false"],
      ["the kind is lost", "...(known && { kind: known }),", ""],
      ["the reasons are lost", "reasons: textsOf(short)", "reasons: []"],
      [
        "errors that are not an object are accepted",
        "if (c.errors !== undefined && !isObject(c.errors))",
        "if (false)",
      ],
      ["the smallest error is taken", "Math.max(...known)", "Math.min(...known)"],
      [
        "an unknown residual is 0",
        "isNumber(residual) ? residual : Number.NaN",
        "isNumber(residual) ? residual : 0",
      ],
      ["error estimates are left out", ", ...of(errors, estimates)]", "]"],
      ["an unknown error hides the known ones", "isObject(found.errors) ? all", "false ? all"],
    ],
  ),
  ...faultsIn(
    "src/tellable.ts",
    ["decided"],
    [
      ["rates of the rows trained on", "...(decidedOn && { decidedOn }),", ""],
      [
        "wrong decisions told as loss",
        "...(currency !== undefined && { in: currency, pays: numbersIn(pays) }),",
        "",
      ],
    ],
  ),
  ...faultsIn(
    "src/requirement.ts",
    ["decided"],
    [
      [
        "what is counted waits for a certificate",
        "(decidedOn === undefined || r.unsettled === true)",
        "true",
      ],
      ["reached on the rows trained on", "fields(r[decidedOn ?? ", "fields(r[undefined ?? "],
    ],
  ),
  ...faultsIn(
    "src/look.ts",
    ["unreadable"],
    [
      [
        "certified though unreadable",
        "const noVerdict = { worst: null, certified: null,",
        "const noVerdict = { worst: null, certified: true,",
      ],
    ],
  ),
  ...faultsIn(
    "src/together.ts",
    ["together"],
    [
      ["who asks meanwhile gets what is old", "next ??= running.then(begin, begin);", "next ??= running;"],
      ["two at a time", "if (!next) running = undefined;", "running = undefined;"],
      ["one that fails is the last", "running.then(begin, begin)", "running.then(begin)"],
    ],
  ),
  ...faultsIn(
    "src/notes.ts",
    ["notes"],
    [
      [
        "tags of any length",
        'if (typeof value !== "string" || value.length > most)',
        'if (typeof value !== "string")',
      ],
      ["empty notes stay", "if (!note.title && !note.notes && note.tags.length === 0)", "if (false)"],
    ],
  ),
  ...faultsIn(
    "src/spread.ts",
    ["many"],
    [
      ["the best first", "sort((a, b) => b.last - a.last)", "sort((a, b) => a.last - b.last)"],
      [
        "quantiles of the wrong ends",
        "const at = share * (sorted.length - 1);",
        "const at = (1 - share) * (sorted.length - 1);",
      ],
    ],
  ),
  ...faultsIn(
    "src/series.ts",
    ["many", "series"],
    [
      ["all curves of many", "!many || wanted.has(name)", "true"],
      ["time since 1970", "at - first", "at"],
    ],
  ),
  ...faultsIn(
    "src/differences.ts",
    ["differences", "compare"],
    [["what is the same differs", "values.some((value) => value !== values[0])", "true"]],
  ),
  ...faultsIn(
    "src/verdict.ts",
    ["page", "answers"],
    [["met is gave", "if (excess > allowance)", "if (excess < allowance)"]],
  ),
  ...faultsIn(
    "src/clients.ts",
    ["clients"],
    [
      ["violated though it may give way", 'gives ? "gave way"', 'false ? "gave way"'],
      ["violated though nothing is asked", 'asking ? "violated"', 'true ? "violated"'],
      ["all clients are beyond", "loss > level + tolerance", "true"],
    ],
  ),
  ...faultsIn("src/look.ts", ["clients"], [["clients violate nothing", " || clientsViolate(report)", ""]]),
  ...faultsIn(
    "src/requirement.ts",
    ["answers"],
    [["no pass is within chance", "beyond.value <= 0 && beyond.high > 0", "false"]],
  ),
  ...faultsIn(
    "src/tellable.ts",
    ["answers"],
    [["a price of what is violated", 'r.status === "violated" ? undefined : priceIn', "priceIn"]],
  ),
  ...faultsIn(
    "src/study.ts",
    ["study"],
    [["what holds is beyond its level", "beyond: holds ? 0 : gaveBy(r)", "beyond: gaveBy(r) + 1"]],
  ),
];
