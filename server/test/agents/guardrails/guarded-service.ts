import { readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import type { QueryResult, QueryResultRow } from "pg";
import { Agent, fetch } from "undici";
import { type Cleanup, createTestDatabase } from "../../support/database.ts";
import { type ServiceHere, startServiceHere } from "../../support/service-here.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { RawClient } from "../../realtime/support/raw-client.ts";
import type { WireAnswer } from "../../support/providers/wire-answer.ts";
import { WIRE } from "../../support/providers/wire.ts";
import { hang, say } from "../../support/providers/wire-server.ts";

/** Untyped: assertions check its members. */
type Any = ReturnType<typeof JSON.parse>;

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GuardedService {
  readonly webhookUrl: string;
  /** The requests to the provider since `reply` was set. */
  readonly asked: Any[];
  readonly received: Received[];
  /** What the model answers; null: the stream begins and never ends. */
  reply: string;
  /** What it answers to a request instead; null: `reply`. */
  replyTo: ((request: Any) => string) | null;
  isHanging: boolean;
  /** The tools that the model calls before it answers. */
  calls: WireAnswer["calls"];
  /** The error that the provider answers with; null: none. */
  fault: string | null;
  /** Null means that it never answers. */
  webhookAnswer: object | null;
  signUp(name: string): Promise<Person>;
  /** Runs SQL as the owner of the database. */
  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<QueryResult<Row>>;
  close(): Promise<void>;
}

export interface Person {
  readonly id: string;
  readonly token: string;
  /** Opens a socket of realtime, and joins a channel with all changes that the person may see of the tables. */
  follow(tables: readonly string[]): Promise<RawClient>;
  /** Status and body. */
  call(line: string, body?: object): Promise<readonly [number, Any]>;
  /** The first row of a request that must succeed. */
  one(line: string, body?: object): Promise<Any>;
  /** The events of a run that is streamed, until it ends or `isEnough`. */
  stream(body: object, isEnough?: (event: Any) => boolean): Promise<Any[]>;
}

export const CHECKER = "You check whether a text violates the policy";

/** The program with a provider and a webhook receiver on loopback. */
export async function startGuardedService(): Promise<GuardedService> {
  const closers: (() => Promise<unknown>)[] = [];
  const cleanup: Cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
  const asked: Any[] = [];
  const received: Received[] = [];
  const provider = createServer((request, response) => {
    void (async () => {
      const body: Any = await json(request);
      asked.push(body);
      await answer(state, body, response);
    })();
  });
  const database = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-guardrails-");
  const providerUrl = `http://127.0.0.1:${await listen(provider, closers)}`;
  const service = await startServiceHere(cleanup, {
    dataDir,
    env: {
      DATABASE_URL: database.adminUrl,
      MASTER_KEY: database.masterKey,
      PROVIDER_A_KIND: "openai-compatible",
      PROVIDER_A_BASE_URL: providerUrl,
      PROVIDER_A_MODELS: "m,model-canary",
    },
  });
  const pem = readFileSync(join(dataDir, "tls", "localhost.pem"));
  const receiver = createTlsServer({ key: pem, cert: pem }, (request, response) => {
    void (async () => {
      received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
      // Answers to events are stored for those who receive them.
      if (request.headers["x-for"] !== undefined) response.end();
      else if (state.webhookAnswer !== null) response.end(JSON.stringify(state.webhookAnswer));
    })();
  });
  const webhookUrl = `https://localhost:${await listen(receiver, closers)}/check`;
  const dispatcher = new Agent({ connect: { ca: readFileSync(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.close());
  const state: GuardedService = {
    webhookUrl,
    asked,
    received,
    reply: "Hello.",
    replyTo: null,
    isHanging: false,
    calls: [],
    fault: null,
    webhookAnswer: { allowed: true },
    signUp: (name) => signUp(service, { dispatcher, cleanup }, name),
    query: (sql, values) => database.owner.query(sql, [...values]),
    async close() {
      for (const close of closers) await close();
    },
  };
  return state;
}

async function listen(server: Server, closers: (() => Promise<unknown>)[]): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.unshift(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

async function answer(state: GuardedService, body: Any, response: ServerResponse): Promise<void> {
  if (state.fault !== null) {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: state.fault } }));
    return;
  }
  const isCheck = JSON.stringify(body.messages[0]).includes(CHECKER);
  const violation = isCheck && JSON.stringify(body.messages.slice(1)).includes("politics");
  const words = isCheck
    ? JSON.stringify({ violation, reason: "It is about politics." })
    : (state.replyTo?.(body) ?? state.reply);
  const calls = body.messages.at(-1).role === "user" && !isCheck ? (state.calls ?? []) : [];
  const texts = calls.length === 0 ? [words.slice(0, 4), words.slice(4)] : [];
  const frames = WIRE["openai-compatible"]({ texts, calls });
  await (state.isHanging && !isCheck ? hang(frames.slice(0, 3)) : say(frames))(response);
}

async function signUp(
  { credentials }: ServiceHere,
  { dispatcher, cleanup }: { readonly dispatcher: Agent; readonly cleanup: Cleanup },
  name: string,
): Promise<Person> {
  const send = (line: string, bearer: string | null, body?: object, accept = "application/json") => {
    const [method = "GET", path = "/"] = line.split(" ");
    return fetch(new URL(path, credentials.url), {
      method,
      dispatcher,
      headers: {
        accept,
        apikey: credentials.anon_key,
        prefer: "return=representation",
        "content-type": "application/json",
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
  const account = { email: `${name}@example.com`, password: "correct horse battery" };
  const { access_token: token, user } = (await (await send("POST /auth/v1/signup", null, account)).json()) as Any;
  const call: Person["call"] = async (line, body) => {
    const response = await send(line, token, body);
    const words = await response.text();
    return [response.status, words === "" ? null : JSON.parse(words)];
  };
  return {
    id: user.id,
    token,
    async follow(tables) {
      const { url, anon_key: apikey, ca_cert_file: caFile } = credentials;
      const socket = await RawClient.open(cleanup, url, { apikey, ca: readFileSync(caFile ?? "", "utf8") });
      const changes = tables.map((table) => ({ event: "*", schema: "public", table }));
      const { status } = await socket.join("realtime:changes", { postgres_changes: changes }, token);
      if (status !== "ok") throw new Error(`${name} cannot follow the tables`);
      return socket;
    },
    call,
    async one(line, body) {
      const [status, rows] = await call(line, body);
      if (status >= 300) throw new Error(`${line}: ${status} ${JSON.stringify(rows)}`);
      return Array.isArray(rows) ? rows[0] : rows;
    },
    async stream(body, isEnough = () => false) {
      const response = await send("POST /functions/v1/agent-respond", token, body, "text/event-stream");
      const events: Any[] = [];
      let rest = "";
      for await (const chunk of response.body ?? []) {
        rest += Buffer.from(chunk as Uint8Array).toString();
        const frames = rest.split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) {
          const type = /^event: (.+)$/m.exec(frame)?.[1];
          const data = /^data: (.+)$/m.exec(frame)?.[1];
          if (type === undefined || data === undefined) continue;
          events.push({ ...JSON.parse(data), type });
          if (isEnough(events.at(-1))) return events;
        }
      }
      return events;
    },
  };
}
