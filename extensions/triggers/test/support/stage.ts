import assert from "node:assert/strict";
import pg from "pg";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../../server/test/support/extended-service.ts";
import { until } from "../../../../server/test/support/until.ts";
import { payloadOf, type SenderKind, SENDERS, type SendOptions, type SentCall } from "./senders.ts";

/** A service with triggers, and its database. */
export interface Stage extends ExtendedService {
  /** As the superuser, who passes over all rules. */
  readonly sql: pg.Client;
  newPerson(): Promise<Person>;
  /** A request with a token or a key; asserts the status. */
  send(
    token: string,
    method: string,
    path: string,
    body?: unknown,
    status?: number,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Parsed>;
  /** What a sender sends, without any header of the service. */
  post(triggerId: string, call: SentCall): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Parsed;
}

export interface Person extends User {
  readonly id: string;
  readonly agentId: string;
  /** A trigger of the person's agent with a secret. */
  trigger(kind: SenderKind, row?: Readonly<Record<string, unknown>>): Promise<OpenTrigger>;
  read(id: string): Promise<Parsed>;
  call(id: string): Promise<Parsed>;
  /** Reads the call until the condition holds. */
  callUntil(id: string, isReached: (row: Parsed) => boolean, what: string): Promise<Parsed>;
  callsOf(triggerId: string): Promise<Parsed>;
}

export interface OpenTrigger {
  readonly id: string;
  readonly secret: string;
  /** A signed call, of a new event unless it has a payload. */
  sign(payload?: unknown, options?: Partial<SendOptions>): Promise<SentCall>;
  /** Sends one, and asserts the status. */
  fire(payload?: unknown, status?: number, options?: Partial<SendOptions>): Promise<Parsed>;
}

export const LIMIT_AI = 8;

export async function openStage(
  closers: (() => Promise<void>)[],
  more: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const service = await startExtendedService(
    { after: (close) => void closers.unshift(close) },
    {
      EXTENSIONS: "triggers,account-export,rpc-tools",
      PROVIDER_A_KIND: "simulated",
      LIMIT_AI: String(LIMIT_AI),
      LIMIT_API: "1000",
      ...more,
    },
  );
  const sql = new pg.Client({ connectionString: service.databaseUrl });
  await sql.connect();
  closers.unshift(() => sql.end());
  const { anon_key: apikey } = service.service.credentials;
  const send: Stage["send"] = async (token, method, path, body, status = 200, headers = {}) => {
    const response = await service.fetch(new URL(path, service.url), {
      method,
      headers: {
        apikey,
        authorization: `Bearer ${token}`,
        prefer: "return=representation",
        "content-type": "application/json",
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, status, text);
    return text === "" ? null : JSON.parse(text);
  };
  const post: Stage["post"] = async (triggerId, { headers, body }) => {
    const address = new URL(`/triggers/v1/${triggerId}`, service.url);
    const response = await service.fetch(address, { method: "POST", headers: { ...headers }, body });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  let people = 0;
  const stage = { ...service, sql, send, post };
  return { ...stage, newPerson: async () => toPerson(await service.signUp(`person${(people += 1)}`), post) };
}

async function toPerson(user: User, post: Stage["post"]): Promise<Person> {
  const { id: agentId, user_id: id } = await user.insert("agents", { name: "Ann" });
  const call = async (callId: string): Promise<Parsed> =>
    (await user.send("GET", `/rest/v1/trigger_calls?id=eq.${callId}`))[0];
  return {
    ...user,
    id,
    agentId,
    async trigger(kind, row = {}) {
      const { id: triggerId } = await user.insert("triggers", {
        name: "test",
        verification: kind,
        message: "Look at {{data.object.id}}.",
        ...(row["swarm_id"] === undefined && { agent_id: agentId }),
        ...row,
      });
      const body = { action: "set_secret", trigger_id: triggerId };
      const { secret } = await user.send("POST", "/functions/v1/triggers", body);
      const sign: OpenTrigger["sign"] = async (payload = payloadOf(kind), options = {}) =>
        SENDERS[kind](payload, { secret, ...options });
      const fire: OpenTrigger["fire"] = async (payload, status = 202, options = {}) => {
        const answer = await post(triggerId, await sign(payload, options));
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        return answer.body;
      };
      return { id: triggerId, secret, sign, fire };
    },
    read: async (triggerId) => (await user.send("GET", `/rest/v1/triggers?id=eq.${triggerId}`))[0],
    call,
    async callUntil(callId, isReached, what) {
      let row: Parsed = null;
      await until(
        async () => {
          row = await call(callId);
          return isReached(row);
        },
        what,
        () => JSON.stringify(row),
      );
      return row;
    },
    callsOf: (triggerId) => user.send("GET", `/rest/v1/trigger_calls?trigger_id=eq.${triggerId}&order=created_at`),
  };
}
