import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Message, type Part, Role, type SendMessageConfiguration } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { Agent, fetch as fetchWith, type RequestInit } from "undici";
import { createTestDatabase, type Cleanup } from "../../../../server/test/support/database.ts";
import { type RunningService, startService } from "../../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../../server/test/support/temporary-folder.ts";
import { WAIT_MS } from "../../../../server/test/support/wait-limit.ts";

export type Binding = "JSONRPC" | "HTTP+JSON";
/** Untyped: assertions check its members. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface A2aService {
  readonly url: string;
  readonly service: RunningService;
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

export async function startA2aService(
  cleanup: Cleanup,
  more: Readonly<Record<string, string>> = {},
): Promise<A2aService> {
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-a2a-");
  // A stream that does not end with its task or its reader lets later tests fail.
  const env = {
    DATABASE_URL,
    MASTER_KEY,
    EXTENSIONS: "a2a",
    AUTH_PASSWORD_MEMORY_KIB: "8192",
    AGENT_STREAM_LIMIT_PER_USER: "8",
    ...more,
  };
  const service = await startService(cleanup, { dataDir, env });
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
        const body = { action: "create", name: "a2a", scopes };
        return (await send("POST", "/functions/v1/api-keys", body, 201, token)).key;
      },
    };
  };
  return { url, service, fetch, signUp };
}

export interface ClientOptions {
  readonly bearer: string | null;
  readonly binding?: Binding;
}

/** The public client of the protocol, for an endpoint with a public card. */
export function openClient(
  { fetch }: Pick<A2aService, "fetch">,
  endpoint: string,
  { bearer, binding = "JSONRPC" }: ClientOptions,
): Promise<Client> {
  const headers = async (): Promise<Record<string, string>> =>
    bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers,
    shouldRetryWithHeaders: async () => undefined,
  });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${endpoint}/`);
}

function textPart(value: string): Part {
  return { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" };
}

export function dataPart(value: unknown): Part {
  return { content: { $case: "data", value }, metadata: undefined, filename: "", mediaType: "" };
}

export interface Sent extends Partial<Pick<Message, "taskId" | "contextId" | "messageId">> {
  readonly configuration?: Partial<SendMessageConfiguration>;
}

/** The request of a message, for the client. */
export function messageOf(content: string | Part[], { configuration, ...ids }: Sent = {}) {
  const message: Message = {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: typeof content === "string" ? [textPart(content)] : content,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...ids,
  };
  const defaults = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false };
  return { tenant: "", message, metadata: undefined, configuration: { ...defaults, ...configuration } };
}

/** Waits until the condition holds. */
export async function waitFor(isMet: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await isMet())) {
    assert.ok(Date.now() < deadline, "the condition was not met in time");
    await delay(20);
  }
}
