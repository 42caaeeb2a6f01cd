import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import { EVENT_TYPES } from "@swarmbase/sdk";
import pg from "pg";
import { buildScope, type TransactionScope } from "../../../src/db/index.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

export type Row = Record<string, unknown> & { readonly id: string };
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;
/** A user's id, or `anon`, `service_role`, or `internal`: the service's own login without a change of role. */
export type Caller = string;

export interface EventRow {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly audience: readonly string[];
}

export class Stage {
  readonly database: TestDatabase;
  readonly #user: pg.Pool;
  readonly #service: pg.Pool;

  constructor(database: TestDatabase) {
    this.database = database;
    this.#user = openPool(database.url("sb_user"));
    this.#service = openPool(database.url("sb_service"));
  }

  async close(): Promise<void> {
    await Promise.all([this.#user.end(), this.#service.end()]);
  }

  /** One transaction, entered as a request of the caller would be. */
  async transaction<T>(
    caller: Caller,
    work: (query: Query) => Promise<T>,
    scope: Partial<TransactionScope> = {},
  ): Promise<T> {
    const isService = caller === "service_role" || caller === "internal";
    const client = await (isService ? this.#service : this.#user).connect();
    const query: Query = async (text, values = []) => (await client.query<Row>(text, values.map(toParameter))).rows;
    try {
      await client.query("begin");
      if (caller !== "internal") {
        const { text, values } = buildScope({ ...scopeOf(caller), ...scope });
        await client.query(text, [...values]);
      }
      const result = await work(query);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  }

  run(caller: Caller, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.transaction(caller, (query) => query(text, values));
  }

  async insert(caller: Caller, table: string, record: Record<string, unknown>): Promise<Row> {
    const columns = Object.keys(record);
    const places = columns.map((_, place) => `$${place + 1}`);
    const values = columns.length === 0 ? "default values" : `(${columns.join(", ")}) values (${places.join(", ")})`;
    const [row] = await this.run(caller, `insert into ${table} ${values} returning *`, Object.values(record));
    return row!;
  }

  /** Rows that the change reached; none when the caller may not see or change the row. */
  update(caller: Caller, table: string, id: unknown, record: Record<string, unknown>): Promise<Row[]> {
    const changes = Object.keys(record).map((column, place) => `${column} = $${place + 2}`);
    const text = `update ${table} set ${changes.join(", ")} where id = $1 returning *`;
    return this.run(caller, text, [id, ...Object.values(record)]);
  }

  remove(caller: Caller, table: string, id: unknown): Promise<Row[]> {
    return this.run(caller, `delete from ${table} where id = $1 returning *`, [id]);
  }

  find(caller: Caller, table: string, id: unknown): Promise<Row | undefined> {
    return this.run(caller, `select * from ${table} where id = $1`, [id]).then(([row]) => row);
  }

  async newUser(record: Record<string, unknown> = {}): Promise<string> {
    const email = `${randomUUID()}@example.com`;
    const user = { email, proven_email: record["email"] ?? email, email_confirmed_at: new Date(), ...record };
    return (await this.insert("internal", "auth.users", user)).id;
  }

  async newAgent(owner: Caller, record: Record<string, unknown> = {}): Promise<string> {
    return (await this.insert(owner, "agents", { name: "Ada", ...record })).id;
  }

  async newSwarm(owner: Caller, members: Record<string, string> = {}): Promise<string> {
    const { id } = await this.insert(owner, "swarms", { name: "Room" });
    for (const [user_id, role] of Object.entries(members))
      await this.insert("service_role", "swarm_members", { swarm_id: id, user_id, role, status: "active" });
    return id;
  }

  async listen(owner: string, events: readonly string[] = EVENT_TYPES): Promise<string> {
    return (await this.insert(owner, "webhooks", { name: "Hook", url: "https://hooks.example.com/x", events })).id;
  }

  /** What has happened since the last call. */
  async takeEvents(): Promise<EventRow[]> {
    const text =
      "with gone as (delete from private.events returning *) select type, data, audience from gone order by seq";
    return (await this.run("internal", text)) as unknown as EventRow[];
  }
}

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 12 });
  // Dropping the database ends what is still closing.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** One database for the file that calls this. */
export function openStage(): { readonly stage: Stage } {
  const closers: (() => Promise<void>)[] = [];
  const opened = {} as { stage: Stage };
  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    opened.stage = new Stage(database);
    closers.unshift(() => opened.stage.close());
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return opened;
}

export interface Rejection {
  readonly code: string;
  readonly constraint?: string;
  readonly column?: string;
}

export const FORBIDDEN: Rejection = { code: "42501" };
export const violates = (constraint: string): Rejection => ({ code: "23514", constraint });

export async function rejects(work: Promise<unknown>, expected: Rejection, hint?: string): Promise<void> {
  const outcome = await work.then(
    () => "done",
    (error: unknown) => {
      if (!(error instanceof pg.DatabaseError)) throw error;
      const { code, constraint, column, message } = error;
      return { ...pick({ code, constraint, column }, expected), message };
    },
  );
  if (outcome === "done") assert.fail(`not rejected${hint === undefined ? "" : `: ${hint}`}`);
  assert.deepEqual(pick(outcome as Record<string, unknown>, expected), expected, JSON.stringify({ hint, outcome }));
}

function pick(from: Record<string, unknown>, like: object): Record<string, unknown> {
  return Object.fromEntries(Object.keys(like).map((key) => [key, from[key]]));
}

function scopeOf(caller: string): TransactionScope {
  const isUser = caller !== "anon" && caller !== "service_role";
  const role = isUser ? "authenticated" : caller;
  return {
    role,
    claims: isUser ? { sub: caller, role } : { role },
    schemas: ["public"],
    statementTimeoutMs: 20_000,
    isReadOnly: false,
    request: { method: "POST", path: "/", headers: {} },
  };
}

function toParameter(value: unknown): unknown {
  const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? JSON.stringify(value) : value;
}
