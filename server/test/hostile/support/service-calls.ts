import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import tls from "node:tls";
import type { TestDatabase } from "../../support/database.ts";
import { type ServiceHere, startServiceHere } from "../../support/service-here.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

export interface Answer {
  readonly status: number;
  /** Untyped: assertions check its members. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Starts a service on a test database, whose certificate this process trusts from then on. */
export async function startTrustedService(
  cleanup: Parameters<typeof startServiceHere>[0],
  { adminUrl, masterKey }: Pick<TestDatabase, "adminUrl" | "masterKey">,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceHere> {
  const service = await startServiceHere(cleanup, {
    dataDir: await createTemporaryFolder(cleanup, "swarmbase-hostile-"),
    env: { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, ...env },
  });
  const authority = readFileSync(service.credentials.ca_cert_file ?? "", "utf8");
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority]);
  return service;
}

/** Calls `METHOD /path` with the anon key, and with a bearer where one is given. */
export async function callService(
  { url, anon_key: apikey }: ServiceHere["credentials"],
  operation: string,
  bearer?: string | null,
  body?: unknown,
): Promise<Answer> {
  const [method = "", path = ""] = operation.split(" ");
  const response = await fetch(url + path, {
    method,
    headers: {
      apikey,
      ...(typeof bearer === "string" && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

/** The body of an answer, which must be a success. */
export function bodyOf({ status, body }: Answer, operation: string): Answer["body"] {
  assert.ok(status < 300, `${operation}: ${status} ${JSON.stringify(body)}`);
  return body;
}
