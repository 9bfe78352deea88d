// A site whose masked coordinates are noise, as a process of its own; run by garbage.test.ts.
//   node garbage.js join '{ code, data }'
import { randomBytes } from "node:crypto";
import {
  decodeCode,
  decodeSummand,
  embeddedSite,
  encodeSummand,
  httpsBlobs,
  identityOf,
  joinWith,
  newSecret,
  readSiteData,
  takePart,
} from "@pliant/federation";

const { code: text, data } = JSON.parse(process.argv[3]) as { code: string; data: string };
const code = decodeCode(text);
const identity = identityOf(newSecret(randomBytes));
const { spec } = await joinWith(code, identity);
const connection = embeddedSite(code, code.site, identity);
const blobs = httpsBlobs(code, code.site, identity);
await takePart({
  ...{ run: code.run, spec, site: code.site, identity },
  roster: await connection.roster(),
  onRoster: connection.onRoster,
  data: await readSiteData(data, spec),
  bus: connection.bus,
  store: { load: () => undefined, save: () => {} },
  blobs: {
    get: blobs.get,
    put: (bytes) => {
      const { words, numbers } = decodeSummand(bytes);
      return blobs.put(encodeSummand({ words: words.map(() => randomBytes(4).readInt32LE()), numbers }));
    },
  },
});
