import { readFile } from "node:fs/promises";
import { after, before } from "node:test";
import pg from "pg";
import { Agent, fetch } from "undici";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  /** Default: the service role. */
  readonly as?: "user" | "anon";
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

export interface ParityStage {
  readonly database: TestDatabase;
  /** `send("GET /films?select=id")`, the path without `/rest/v1`. */
  send(line: string, sent?: Sent): Promise<Received>;
  /** SQL as a superuser. */
  admin(statements: string): Promise<void>;
}

/** One service over HTTPS on its own database with the given objects, for all tests of a file. */
export function openParityStage(
  statements: string,
  env: Readonly<Record<string, string>>,
): { readonly stage: ParityStage } {
  const closers: (() => Promise<unknown>)[] = [];
  let stage: ParityStage | null = null;
  before(async () => {
    const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
    const database = await createTestDatabase(cleanup);
    await database.owner.query(statements);
    const { adminUrl, masterKey } = database;
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-parity-");
    const service = await startServiceHere(cleanup, {
      dataDir,
      env: { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, ROLES: "api", ...env },
    });
    const { url, anon_key: anonKey, service_role_key: serviceKey, ca_cert_file: caFile } = service.credentials;
    const dispatcher = new Agent({ connect: { ca: await readFile(caFile ?? "", "utf8") } });
    cleanup.after(() => dispatcher.close());
    const signedUp = await fetch(`${url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: anonKey, "content-type": "application/json" },
      body: JSON.stringify({ email: "parity@example.test", password: "correct horse" }),
      dispatcher,
    });
    const { access_token: userToken = "" } = (await signedUp.json()) as { readonly access_token?: string };
    const keys = {
      service: { apikey: serviceKey, authorization: `Bearer ${serviceKey}` },
      user: { apikey: anonKey, authorization: `Bearer ${userToken}` },
      anon: { apikey: anonKey },
    };
    stage = {
      database,
      async send(line, { headers = {}, body, as } = {}) {
        const [method = "GET", path = "/"] = line.split(/ (.*)/s);
        const isRaw = typeof body === "string" || Buffer.isBuffer(body);
        const response = await fetch(path.startsWith("/functions/") ? url + path : `${url}/rest/v1${path}`, {
          method,
          headers: {
            ...keys[as ?? "service"],
            ...(body !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
          ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
          dispatcher,
        });
        const text = await response.text();
        const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "") && text !== "";
        const received = { status: response.status, headers: response.headers as never as Headers, text };
        return { ...received, json: isJson ? JSON.parse(text) : undefined };
      },
      async admin(sql) {
        const client = new pg.Client({ connectionString: adminUrl });
        await client.connect();
        try {
          await client.query(sql);
        } finally {
          await client.end();
        }
      },
    };
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return {
    get stage(): ParityStage {
      if (stage === null) throw new Error("the service has not been started yet");
      return stage;
    },
  };
}
