// Why no test sees these: as a program each does the same as the code, or differs where no number can be told apart.

export interface Reason {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

const of =
  (file: string) =>
  (from: string, to: string, why: string): Reason => ({ file, from, to, why });

const algorithms = of("core/src/algorithms.ts");
const dual = of("core/src/dual.ts");
const batch = of("core/src/batch.ts");
const numbers = of("core/src/costs/numbers.ts");
const linear = of("core/src/costs/linear.ts");
const power = of("core/src/costs/power.ts");
const maximum = of("core/src/costs/maximum.ts");
const waterLevel = of("core/src/costs/water-level.ts");
const bisected = of("core/src/costs/bisect.ts");
const custom = of("core/src/costs/custom.ts");
const check = of("core/src/costs/check.ts");
const minimisers = of("core/src/costs/check-minimisers.ts");
const conjugacy = of("core/src/costs/conjugacy.ts");
const certificate = of("core/src/certificate.ts");
const kinks = of("core/src/kinks.ts");
const report = of("core/src/report.ts");
const classes = of("data/src/partition/classes.ts");
const dirichlet = of("data/src/partition/dirichlet.ts");
const testSets = of("data/src/partition/test-sets.ts");
const csv = of("data/src/table/csv.ts");
const delimited = of("data/src/table/delimited.ts");
const encoding = of("data/src/table/encoding.ts");
const kinds = of("data/src/table/kinds.ts");
const native = of("data/src/table/native.ts");
const read = of("data/src/table/read.ts");
const notation = of("data/src/table/notation.ts");
const plain = of("data/src/table/plain.ts");
const table = of("data/src/table/table.ts");
const textEncoding = of("data/src/table/text-encoding.ts");
const texts = of("data/src/table/texts.ts");
const mt19937 = of("data/src/streams/mt19937.ts");
const numpy = of("data/src/streams/numpy.ts");
const evaluation = of("federated/src/evaluation.ts");
const fixedPoint = of("federated/src/fixed-point.ts");
const server = of("federated/src/server.ts");
const statistics = of("lab/src/statistics.ts");
const federatedPaper = of("lab/src/federated/paper.ts");
const invariancePaper = of("lab/src/invariance/paper.ts");
const federatedTables = of("lab/src/federated/tables.ts");

const mask = of("federation/src/sums/mask.ts");
const cohort = of("federation/src/sums/cohort.ts");
const site = of("federation/src/sums/site.ts");
const keys = of("federation/src/sums/keys.ts");

const beyond = "a write beyond the end of a typed array goes nowhere";
const agreed = "any rule will do that all sites follow";
const rated = "a run that relaxes has rates; the type allows for those that do not";
const endless = "0 and ∞ are their own means";
const below = "what is negative lies below every level that is used";
const eitherWay = "both ways find the level; which is quicker depends on the size";
const furtherHalved = "what is as near as the dtype can tell is halved to no effect";
const inRounding = "nothing that is computed differs by just what rounding may explain";
const enough = "more points refuse no less; so many take a moment";
const drawnAgain = "an order that is drawn again is the same";
const browser = "Node refuses such keys itself; a browser may not";
const never = "a draw is exactly there once in 2⁵³";

const different =
  "no two texts of a column are the same, and a sort asks only whether one comes before another";
const atFirst = "what may be empty is found at the beginning";
const again = "rows of the next chunk are written twice, alike; there is nothing beyond the last";
const gigabyte = "no test has a file of a gigabyte";
const inTheEnd = "numbers that were taken for texts at first are numbers in the end";
const room = "room is made where it lacks, and what is not used is not read";
const firstLook = "the first look has no more rows than that";
const alike = "a common text has the same place however it comes over";
const there = "DuckDB is there wherever the tests run";
const moreBytes = "so many bytes are kept, however many were looked at";
const nowhere = "what is beyond the rows asked for is written nowhere, or written over";
const justAt = "just at a bound a number is no nearer to it than rounding";
const pullAlike = "of two that pull alike either will do, and where all do nothing is moved";
const atOnce = "Newton's method comes to its level in as many rounds as it passes sets of clients";

export const reasons: readonly Reason[] = [
  algorithms("counts[i] === 1", "false", "times 1 is exact; the test saves an operation"),
  dual("v.lt(0)", "v.le(0)", "0 has no sign"),
  dual("signed.gt(0)", "signed.ge(0)", "only an equality has a price below 0"),
  dual(
    "price.lt(0)",
    "price.le(0)",
    "at a price of 0 nothing is relaxed, but where that is free and no price is sought",
  ),
  certificate("little.lt(rounded)", "little.le(rounded)", justAt),
  certificate("far.lt(rounded)", "far.le(rounded)", justAt),
  kinks("slope <= enough", "slope < enough", justAt),
  kinks("growth <= enough", "growth < enough", justAt),
  kinks("mean[n + 1] <= enough", "mean[n + 1] < enough", justAt),
  kinks("e > error", "e >= error", justAt),
  kinks("e < error / 4", "e <= error / 4", justAt),
  kinks("e <= error * shared", "e < error * shared", justAt),
  kinks("round < rounds", "round <= rounds", "one round more than a thousand moves nothing"),
  kinks(
    "i < pulls.length",
    "i <= pulls.length",
    "beyond the end there is no number, and no comparison with it holds",
  ),
  kinks("pulls[i] > pulls[from]", "pulls[i] >= pulls[from]", pullAlike),
  kinks("pulls[i] < pulls[to]", "pulls[i] <= pulls[to]", pullAlike),
  kinks("bent > 0 && pulls[from] > pulls[to]", "bent > 0 || pulls[from] > pulls[to]", pullAlike),
  kinks("bent > 0", "true", pullAlike),
  kinks("bent > 0", "bent >= 0", pullAlike),
  kinks("pulls[from] > pulls[to]", "true", pullAlike),
  kinks("pulls[from] > pulls[to]", "pulls[from] >= pulls[to]", pullAlike),
  report('sense !== "equal to"', "true", "an equality is never missed by less than nothing"),
  report('"equal to"', '""', "an equality is never missed by less than nothing"),
  report("Math.abs(x) < 1e-6", "Math.abs(x) <= 1e-6", justAt),
  certificate(
    "prices[i].lt(0)",
    "prices[i].le(0)",
    "at a price of 0 only what is exceeded counts, on both sides",
  ),
  batch("[]", '["Stryker was here"]', "what has no rows is a number; no word is larger than a batch"),
  batch("known?.epoch === epoch", "false", drawnAgain),
  batch("{ epoch, order }", "{}", drawnAgain),
  batch("sides.length === 1", "false", "one part concatenated is itself"),
  numbers('typeof t === "number"', "true", "a list of steps is taken as a list of weights is"),
  linear("outside(lambda).sum()", "outside(lambda).mean()", endless),
  linear(
    "where(u.gt(0), beside(u, Infinity), 0).sum()",
    "where(u.gt(0), beside(u, Infinity), 0).mean()",
    endless,
  ),
  linear("zero(lambda).sum()", "zero(lambda).mean()", endless),
  power("beta > 2", "beta >= 2", "a β of 2 has been answered"),
  power("step < newtonSteps", "step <= newtonSteps", "a step from the root stays there"),
  power(
    "x.sub(excess.div(a.add(b.mul(slope).mul(r)))).relu()",
    "x.sub(excess.div(a.add(b.mul(slope).mul(r))))",
    "Newton's method comes down on the root; only rounding could pass below 0",
  ),
  maximum(
    "where(overspent(lambda), beside(lambda, Infinity), 0).sum()",
    "where(overspent(lambda), beside(lambda, Infinity), 0).mean()",
    endless,
  ),
  maximum("v.relu()", "v", below),
  maximum("lambda.relu()", "lambda", below),
  conjugacy("lambda.relu()", "lambda", "prox and projectDual make 0 of what is negative themselves"),
  waterLevel("(v.shape.at(-1) ?? 1) <= pairwiseLimit", "true", eitherWay),
  waterLevel("(v.shape.at(-1) ?? 1) <= pairwiseLimit", "(v.shape.at(-1) ?? 1) < pairwiseLimit", eitherWay),
  waterLevel("-1", "+1", eitherWay),
  waterLevel('depth.dtype === "float64"', "true", furtherHalved),
  waterLevel("round < rounds", "round <= rounds", furtherHalved),
  waterLevel("level.lt(middle)", "level.le(middle)", "a level that is met is the lower end already"),
  bisected('low.dtype === "float64"', "true", furtherHalved),
  bisected("round < rounds", "round <= rounds", furtherHalved),
  bisected("increasing(at).lt(0)", "increasing(at).le(0)", "the root is an end of either half"),
  custom("v.relu()", "v", "where v is negative 0 is taken for its own sake"),
  custom(
    "where(attained, beside(u, 0), Infinity).sum()",
    "where(attained, beside(u, 0), Infinity).mean()",
    endless,
  ),
  custom("lambda.gt(steepest)", "lambda.ge(steepest)", "a price at the steepest slope is that slope"),
  check(
    "k * Math.sqrt(2 + 3 * i)",
    "k / Math.sqrt(2 + 3 * i)",
    "points that are spread as widely will do as well",
  ),
  check("samples.slice(0, i)", "samples", "each pair is then tried twice"),
  check("slope >= lower - tolerance", "slope > lower - tolerance", inRounding),
  check("slope <= upper + tolerance", "slope < upper + tolerance", inRounding),
  check("Math.abs(sum - whole[k]) <= rounding(sum)", "Math.abs(sum - whole[k]) < rounding(sum)", inRounding),
  minimisers("x + side * (1e-3 * x + 1e-6)", "x - side * (1e-3 * x + 1e-6)", "both sides are tried"),
  minimisers("1e-3 * x + 1e-6", "1e-3 * x - 1e-6", "as near on both sides, but at 0 in the other order"),
  minimisers("least <= other + rounding(least, other)", "least < other + rounding(least, other)", inRounding),
  minimisers(
    "Math.abs(conjugate - expected) <= rounding(expected, dot(lambda, w))",
    "Math.abs(conjugate - expected) < rounding(expected, dot(lambda, w))",
    inRounding,
  ),
  minimisers(
    "Math.abs(x - lambda[i]) <= rounding(x, lambda[i])",
    "Math.abs(x - lambda[i]) < rounding(x, lambda[i])",
    inRounding,
  ),
  minimisers("samples.slice(0, 9)", "samples", enough),
  certificate("b > a", "b >= a", "of equals either is the larger"),
  classes(
    "i < labels.length",
    "i <= labels.length",
    "the label beyond the last is none, and is counted nowhere",
  ),
  classes("labels[i] > largest", "labels[i] >= largest", "of equals either is the largest"),
  dirichlet('"own-prior"', '""', "all that is neither of the other rules is this one"),
  dirichlet("possible < least", "possible <= least", never),
  testSets('"balanced"', '""', "all that is not floor is balanced"),
  csv("true", "false", "the header is one row"),
  csv("end < lines.length", "true", "a row that is wrong stands after those that are not"),
  csv("end < lines.length", "end <= lines.length", "a row that is wrong stands after those that are not"),
  csv("[]", '["Stryker was here"]', "the header makes the columns anew"),
  csv('/^(?:[^"\\r\\n]|"[^"]*")*/', '/(?:[^"\\r\\n]|"[^"]*")*/', atFirst),
  csv("/^\\uFEFF?\\s*/", "/\\uFEFF?\\s*/", atFirst),
  csv('""', '"Stryker was here!"', "no delimiter is in it"),
  csv("twice >= 0", "twice > 0", "the first name has none before it"),
  delimited("/\\r?\\n$/", "/\\r?\\n/", "a line has one end"),
  delimited("i < bytes.length", "i <= bytes.length", "a row more than there are is never asked for"),
  delimited("!empty", "true", "a row more than there are is never asked for"),
  encoding('column.kind === "number"', "true", "categories are written in no notation"),
  encoding("from < table.rows", "from <= table.rows", "a chunk without rows writes nothing"),
  encoding("Math.min(table.rows, from + together)", "Math.max(table.rows, from + together)", again),
  encoding("row < to", "row <= to", again),
  encoding("code >= 0", "true", "what comes before the first feature is none"),
  encoding("value < low", "value <= low", "of equals either is the smallest"),
  encoding("value > high", "value >= high", "of equals either is the largest"),
  encoding(
    "i < values.length",
    "i <= values.length",
    "what is beyond the last is no number, and is passed over",
  ),
  kinds("row < codes.length", "row <= codes.length", beyond),
  kinds("codes[row] < 0", "false", "there is no value before the first, which is written as NaN"),
  kinds("a < b", "a <= b", different),
  kinds("a > b", "true", different),
  kinds("a > b", "false", different),
  kinds("a > b", "a >= b", different),
  kinds("a > b", "a <= b", different),
  native("!duckdb", "false", there),
  read("found", "true", there),
  read('kind === "parquet"', "true", there),
  read('kind === "parquet"', "false", there),
  read('kind === "parquet"', 'kind !== "parquet"', there),
  read('"parquet"', '""', there),
  read('"Parquet"', '""', there),
  read('"JSON"', '""', there),
  read("{ end: glance - 1 }", "{}", moreBytes),
  read("glance - 1", "glance + 1", moreBytes),
  read("size += part.length", "size -= part.length", moreBytes),
  read("size >= glance", "false", moreBytes),
  read("size >= glance", "size > glance", moreBytes),
  read(
    "statSync(file).size > large",
    "statSync(file).size >= large",
    "at exactly so many bytes either will do",
  ),
  read('() => "VARCHAR"', "() => undefined", "nothing in JSON has the type of a list"),
  read('"VARCHAR"', '""', "nothing in JSON has the type of a list"),
  read(
    'kindAt(i) === "ignore"',
    "false",
    "the table leaves out what is not wanted, whatever the reader does",
  ),
  read('"ignore"', '""', "the table leaves out what is not wanted, whatever the reader does"),
  read("described .getColumns() .slice(0, 2)", "described.getColumns()", "the first two are taken"),
  native('":memory:"', '""', "a database without a name is in memory too"),
  native('"texts"', '""', "what is no numbers is texts"),
  native("common.length > commonTexts", "false", firstLook),
  native("common.length > commonTexts", "common.length >= commonTexts", alike),
  native("[]", '["Stryker was here"]', firstLook),
  native("{ return undefined; }", "{}", "what returns nothing returns undefined"),
  native(
    "[...missing].filter((text) => !Number.isNaN(plainNumber(text)))",
    "[...missing]",
    "what is no number is none of those compared with it",
  ),
  native("!Number.isNaN(value)", "false", "beside texts what is no finite number is NaN"),
  native('"number"', '""', "beside texts what is no finite number is NaN"),
  native("from + n > values.length", "from + n >= values.length", room),
  native("from + n > codes.length", "from + n >= codes.length", room),
  native("values.length * 1.6", "values.length / 1.6", room),
  native('kind === "gap"', "true", "of a column that is read again the gaps are counted again"),
  native("known[i] < 0", "true", alike),
  native("known[i] < 0", "known[i] <= 0", alike),
  notation("[]", '["Stryker was here"]', "the first of what is found is not looked at"),
  notation("amount === undefined", "false", "no number is called undefined"),
  notation('"0"', '""', "the number of an empty text is 0"),
  notation(
    "/^(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4})((?:[T ]\\d{2}:\\d{2}.*)?)$/",
    "/^(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4})((?:[T ]\\d{2}:\\d.*)?)$/",
    "the time is read again as that of a date with the year first",
  ),
  notation("[false, false]", "[]", "undefined is as false as false"),
  plain("size > mostHeld", "false", gigabyte),
  plain("size > mostHeld", "size >= mostHeld", gigabyte),
  plain('"nothing"', '""', "the table leaves out what is not wanted, whatever the reader calls it"),
  plain("size - at", "size + at", "a file comes over whole, and there is no more of it"),
  plain("more === 0", "false", "a file comes over whole, and there is no more of it"),
  plain("bytes.length === glance", "true", inTheEnd),
  plain("bytes.length === glance", "false", inTheEnd),
  plain("bytes.length === glance", "bytes.length !== glance", inTheEnd),
  plain("/\\r$/", "/\\r/", inTheEnd),
  plain('""', '"Stryker was here!"', inTheEnd),
  plain(
    "[...missing].map(plainNumber).filter((x) => !Number.isNaN(x))",
    "[...missing].map(plainNumber)",
    "no number in digits is NaN",
  ),
  plain("Math.max(1, expected)", "Math.min(1, expected)", room),
  plain('want === "numbers"', "true", room),
  plain('want === "texts"', "true", room),
  plain("forms[k] === 1", "true", room),
  plain("forms[k] === 2", "true", room),
  plain("k < count", "k <= count", room),
  plain("bytes[at] === newline", "true", "the second byte of a line end is an empty line"),
  plain("scale > 0", "true", "a division by 1 is exact"),
  plain("scale > 0", "scale >= 0", "a division by 1 is exact"),
  plain("Math.imul(hash, 31) + byte", "Math.imul(hash, 31) - byte", "any hash will do"),
  table("i < rows.length", "i <= rows.length", beyond),
  textEncoding("i % 2 === from", "i % 2 !== from", "both halves are counted"),
  textEncoding('/^[^\\s,;"]*/', '/[^\\s,;"]*/', atFirst),
  texts("code < 0", "code <= 0", "the first text keeps its place"),
  texts("code < 0", "false", beyond),
  mt19937("i < words", "i <= words", beyond),
  numpy("square >= 1", "square > 1", never),
  numpy("square === 0", "false", never),
  numpy("shape < 1", "shape <= 1", "a shape of 1 has been answered"),
  numpy("u <= 1 - shape", "u < 1 - shape", never),
  numpy("x <= v", "x < v", never),
  numpy("x <= v + y", "x < v + y", never),
  numpy("v <= 0", "v < 0", never),
  numpy("i > 0", "i >= 0", "the first is then exchanged with itself, for no draw"),
  numpy("u < 1 - 0.0331 * (x * x) * (x * x)", "u <= 1 - 0.0331 * (x * x) * (x * x)", never),
  mask("i < sum.words.length", "i <= sum.words.length", beyond),
  mask("first < words.length", "first <= words.length", "an empty chunk adds nothing"),
  mask("words.length - first", "words.length + first", beyond),
  cohort("sites - 1", "sites + 1", "that many neighbours or more are all the others"),
  cohort('"\\n"', '""', agreed),
  cohort("a.place < b.place", "a.place <= b.place", "no two digests are the same"),
  cohort("a.place < b.place", "a.place >= b.place", agreed),
  site("me < other", "me <= other", "no site has a mask with itself"),
  site("me < other", "me >= other", agreed),
  keys("shared.every((byte) => byte === 0)", "false", browser),
  keys("(byte) => byte === 0", "() => undefined", browser),
  keys("byte === 0", "false", browser),
  federatedPaper("a < b", "a <= b", "no two names are the same"),
  federatedPaper("a < b", "a >= b", "any order will do that both are in"),
  invariancePaper(
    "prices[run.dataset as PaperDataset][run.method]?.[run.variant]",
    "prices[run.dataset as PaperDataset][run.method][run.variant]",
    "the figure's two methods both have prices; the type allows for others",
  ),
  federatedTables("rates?.relaxation", "rates.relaxation", rated),
  federatedTables("row.rates?.relaxation", "row.rates.relaxation", rated),
  federatedTables("row.rates?.dual", "row.rates.dual", rated),
  evaluation("Math.min(size, rows.length - k * size)", "Math.max(size, rows.length - k * size)", nowhere),
  evaluation("rows.length - k * size", "rows.length + k * size", nowhere),
  evaluation("k * size", "k / size", nowhere),
  evaluation("i < end", "i <= end", nowhere),
  evaluation("i < rows.length", "i <= rows.length", beyond),
  evaluation("row < samples", "row <= samples", "no row beyond the last is wanted"),
  fixedPoint("word < 0", "word <= 0", "0 fits"),
  fixedPoint("i < sum.length", "i <= sum.length", beyond),
  server("round < levelRounds", "round <= levelRounds", atOnce),
  server("round++", "round--", atOnce),
  server(
    "excess > 1e-14 * Math.max(1, level)",
    "excess >= 1e-14 * Math.max(1, level)",
    "of so small an excess either will do",
  ),
  server("1e-14 * Math.max(1, level)", "1e-14 / Math.max(1, level)", "of so small an excess either will do"),
  server("Math.max(1, level)", "Math.min(1, level)", "of so small an excess either will do"),
  statistics(
    "value - xMean",
    "value + xMean",
    "what is multiplied by differences from a mean may be shifted",
  ),
  statistics("y[i] - yMean", "y[i] + yMean", "what is multiplied by differences from a mean may be shifted"),
];
