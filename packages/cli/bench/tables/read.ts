// Reads a CSV file and encodes its features, in a process of its own: seconds, of processors too, and the most memory that was held.
// Loading libraries is not counted, here and there.
import "@duckdb/node-api";
import { encode, fitEncoding, readTable } from "@pliant/data";

const [file] = process.argv.slice(2);
const [start, before] = [performance.now(), process.cpuUsage()];
const table = await readTable(file, { target: "y", columns: { group: "category" } });
const columns = table.names.filter((name) => name !== "y" && name !== "group");
encode(table, fitEncoding(table, { columns }));
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    seconds,
    processor: (user + system) / 1e6,
    peakMegabytes: process.resourceUsage().maxRSS / 1e3,
  }),
);
