// A real S3-compatible server on a free port: moto's, from PyPI; none where it is not installed.
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";

export interface S3Server {
  /** For a new bucket. */
  address(bucket: string): Promise<string>;
  stop(): void;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Any keys are right here. */
export async function startS3(): Promise<S3Server | undefined> {
  if (spawnSync("moto_server", ["--help"]).status !== 0) {
    console.log('Skipped: there is no moto_server here; install it with pip install "moto[server]".');
    return undefined;
  }
  process.env.AWS_ACCESS_KEY_ID ??= "pliant";
  process.env.AWS_SECRET_ACCESS_KEY ??= "secret";
  const port = await freePort();
  const server = spawn("moto_server", ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let ready = false; !ready; ) {
    ready = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (!ready) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    address: async (bucket) => {
      await fetch(`${endpoint}/${bucket}`, { method: "PUT" });
      return `s3://${bucket}/federations?endpoint=${endpoint}`;
    },
    stop: () => void server.kill(),
  };
}
