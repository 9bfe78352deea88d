// A site of `federation lost`, in a process of its own: joins with its code, or goes on from its folder.
import { join } from "@pliant/federation";

const [data, out, code] = process.argv.slice(2);
await join({ data, out, ...(code && { code }) });
