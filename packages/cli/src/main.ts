// The pliant command as a process.
import { pliant } from "./pliant.js";

process.exitCode = await pliant(process.argv.slice(2));
