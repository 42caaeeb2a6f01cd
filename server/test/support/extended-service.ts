import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent, fetch as fetchWith, type RequestInit } from "undici";
import { createTestDatabase, type Cleanup } from "./database.ts";
import { type ServiceHere, startServiceHere } from "./service-here.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** Untyped: assertions check its members. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface ExtendedService {
  readonly url: string;
  readonly service: ServiceHere;
  /** As the superuser. */
  readonly databaseUrl: string;
  /** Trusts the authority of the service. */
  readonly fetch: typeof globalThis.fetch;
  signUp(name: string): Promise<User>;
}

export interface User {
  readonly token: string;
  /** Parsed JSON of a request with the anon key and the token of the user; asserts the status. */
  send(method: string, path: string, body?: unknown, status?: number): Promise<Parsed>;
  insert(table: string, row: object): Promise<Parsed>;
  makeKey(scopes: readonly string[]): Promise<string>;
}

/** Starts a service with the extensions and settings. */
export async function startExtendedService(
  cleanup: Cleanup,
  more: Readonly<Record<string, string>>,
): Promise<ExtendedService> {
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-extended-");
  // A stream that does not end with its task or its reader lets later tests fail.
  const env = {
    DATABASE_URL,
    MASTER_KEY,
    AGENT_STREAMS_PER_USER: "8",
    ...more,
  };
  const service = await startServiceHere(cleanup, { dataDir, env });
  const { url, anon_key: apikey, ca_cert_file: authority } = service.credentials;
  const dispatcher = new Agent({ connect: { ca: readFileSync(authority ?? "", "utf8") } });
  cleanup.after(() => dispatcher.close());
  const fetch = (async (input: string | URL, init?: RequestInit) =>
    fetchWith(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;

  const signUp = async (name: string): Promise<User> => {
    const send = async (
      method: string,
      path: string,
      body?: unknown,
      status = 200,
      token?: string,
    ): Promise<Parsed> => {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          apikey,
          prefer: "return=representation",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.equal(response.status, status, text);
      return text === "" ? null : JSON.parse(text);
    };
    const credentials = { email: `${name}@example.com`, password: "correct horse battery" };
    const { access_token: token } = await send("POST", "/auth/v1/signup", credentials);
    return {
      token,
      send: (method, path, body, status) => send(method, path, body, status, token),
      insert: async (table, row) => (await send("POST", `/rest/v1/${table}`, row, 201, token))[0],
      makeKey: async (scopes) => {
        const body = { action: "create", name: "key", scopes };
        return (await send("POST", "/functions/v1/api-keys", body, 201, token)).key;
      },
    };
  };
  return { url, service, databaseUrl: DATABASE_URL, fetch, signUp };
}
