import assert from "node:assert/strict";
import pg from "pg";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../../server/test/support/extended-service.ts";
import { until } from "../../../../server/test/support/until.ts";

/** A service with schedules, and its database. */
export interface Stage extends ExtendedService {
  /** As the superuser, who passes over all rules. */
  readonly sql: pg.Client;
  newPerson(): Promise<Person>;
  /** Parsed JSON of a request with a token or a key; asserts the status. */
  send(
    token: string,
    method: string,
    path: string,
    body?: unknown,
    status?: number,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Parsed>;
  readonly asService: User["send"];
}

export interface Person extends User {
  readonly id: string;
  readonly agentId: string;
  /** A schedule of the person's agent; once, at this moment, unless it says otherwise. */
  schedule(row?: Readonly<Record<string, unknown>>): Promise<Parsed>;
  read(id: string): Promise<Parsed>;
  /** Reads the schedule until the condition holds. */
  readUntil(id: string, isReached: (row: Parsed) => boolean, what: string): Promise<Parsed>;
  runsOf(id: string): Promise<Parsed>;
}

export const LIMIT_AI = 8;

export async function openStage(
  closers: (() => Promise<void>)[],
  more: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const service = await startExtendedService(
    { after: (close) => void closers.unshift(close) },
    { EXTENSIONS: "schedules,account-export", PROVIDER_A_KIND: "simulated", LIMIT_AI: String(LIMIT_AI), ...more },
  );
  const sql = new pg.Client({ connectionString: service.databaseUrl });
  await sql.connect();
  closers.unshift(() => sql.end());
  const { anon_key: apikey, service_role_key: serviceKey } = service.service.credentials;
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
  let people = 0;
  return {
    ...service,
    sql,
    send,
    asService: (method, path, body, status) => send(serviceKey, method, path, body, status),
    newPerson: async () => toPerson(await service.signUp(`person${(people += 1)}`)),
  };
}

async function toPerson(user: User): Promise<Person> {
  const { id: agentId, user_id: id } = await user.insert("agents", { name: "Ann" });
  const read = async (scheduleId: string): Promise<Parsed> =>
    (await user.send("GET", `/rest/v1/schedules?id=eq.${scheduleId}`))[0];
  return {
    ...user,
    id,
    agentId,
    schedule: (row = {}) =>
      user.insert("schedules", {
        name: "test",
        message: "Say hello.",
        ...(row["swarm_id"] === undefined && { agent_id: agentId }),
        ...(row["cron"] === undefined && { run_at: new Date().toISOString() }),
        ...row,
      }),
    read,
    async readUntil(scheduleId, isReached, what) {
      let row: Parsed = null;
      await until(
        async () => {
          row = await read(scheduleId);
          return isReached(row);
        },
        what,
        () => JSON.stringify(row),
      );
      return row;
    },
    runsOf: (scheduleId) =>
      user.send("GET", `/rest/v1/runs?cause->>id=eq.${scheduleId}&select=*,swarms(started_by)&order=created_at`),
  };
}
