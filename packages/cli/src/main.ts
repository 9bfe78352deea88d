// The entry point of the pliant command.
import { pliant } from "./pliant.js";

process.exitCode = await pliant(process.argv.slice(2));
