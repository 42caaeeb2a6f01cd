import { readFile } from "node:fs/promises";
import https from "node:https";
import { join } from "node:path";

interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly ca_cert_file: string;
  readonly database_url: string;
}

/** What a service wrote into its data directory when it started. */
export async function readCredentials(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as Credentials;
}

export async function isReady(dataDir: string): Promise<boolean> {
  const { url, ca_cert_file: caFile } = await readCredentials(dataDir);
  const ca = await readFile(caFile, "utf8");
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  https
    .get(`${url}/ready`, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
    .on("error", reject);
  return promise;
}
