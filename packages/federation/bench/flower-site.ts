// One of ten sites, a process of its own: ONNX Runtime on one thread, over the embedded bus.
import { randomBytes } from "node:crypto";
import { open } from "@pliant/engine/device";
import { type Address, embeddedSite, httpsBlobs, identityOf, newSecret, takePart } from "@pliant/federation";
import { poolOfSite, specOf } from "./flower-task.js";

const { site, rounds, kind } = JSON.parse(process.argv[2]) as {
  site: number;
  rounds: number;
  kind: "secure" | "plain";
};
const identity = identityOf(newSecret(randomBytes));
const data = await poolOfSite(site);
const backend = await open("cpu", { threads: 1 });
process.send!({ key: identity.key });
const address = await new Promise<Address>((resolve) =>
  process.once("message", (told) => resolve(told as Address)),
);
const name = `site-${site}`;
const connection = embeddedSite(address, name, identity);
await takePart({
  run: address.run,
  spec: specOf(rounds, kind),
  site: name,
  identity,
  roster: await connection.roster(),
  data,
  store: { load: () => undefined, save: () => {} },
  bus: connection.bus,
  blobs: httpsBlobs(address, name, identity),
  backend,
});
await connection.bus.close();
await backend.close();
process.disconnect();
