import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";

interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  /** Null without TLS. */
  readonly ca_cert_file: string | null;
  readonly database_url: string;
}

/** What a service wrote into its data directory when it started. */
export async function readCredentials(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as Credentials;
}

/** The certificate authority of the service; undefined without TLS. */
export async function readAuthority({ ca_cert_file: file }: Credentials): Promise<string | undefined> {
  return file === null ? undefined : readFile(file, "utf8");
}

export async function isReady(dataDir: string): Promise<boolean> {
  const credentials = await readCredentials(dataDir);
  const url = `${credentials.url}/ready`;
  const ca = await readAuthority(credentials);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const onResponse = (response: http.IncomingMessage): void => {
    response.resume();
    resolve(response.statusCode === 200);
  };
  const request =
    ca === undefined ? http.get(url, { agent: false }, onResponse) : https.get(url, { ca, agent: false }, onResponse);
  request.on("error", reject);
  return promise;
}
