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
const certificate = of("core/src/certificate.ts");
const classes = of("data/src/partition/classes.ts");
const dirichlet = of("data/src/partition/dirichlet.ts");
const testSets = of("data/src/partition/test-sets.ts");
const csv = of("data/src/table/csv.ts");
const delimited = of("data/src/table/delimited.ts");
const encoding = of("data/src/table/encoding.ts");
const kinds = of("data/src/table/kinds.ts");
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
const nowhere = "what is beyond the rows asked for is written nowhere, or written over";
const atOnce = "Newton's method comes to its level in as many rounds as it passes sets of clients";

export const reasons: readonly Reason[] = [
  algorithms("counts[i] === 1", "false", "times 1 is exact; the test saves an operation"),
  dual("v.lt(0)", "v.le(0)", "0 has no sign"),
  certificate(
    "prices[i].lt(0)",
    "prices[i].le(0)",
    "at a price of 0 only what is exceeded counts, on both sides",
  ),
  batch("[]", '["Stryker was here"]', "what has no rows is a number; no word is larger than a batch"),
  batch("known?.epoch === epoch", "false", drawnAgain),
  batch("{ epoch, order }", "{}", drawnAgain),
  batch("sides.length === 1", "false", "one part concatenated is itself"),
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
