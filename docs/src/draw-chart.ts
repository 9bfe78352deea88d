// npm run chart: draws docs/comparison.svg from the recorded benchmark.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chartRecord, comparisonSvg } from "./chart.js";
import { home } from "./place.js";

await writeFile(join(home, "comparison.svg"), comparisonSvg(chartRecord()));
