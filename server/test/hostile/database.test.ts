import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, it } from "node:test";
import pg from "pg";
import { Agent, fetch } from "undici";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

// A quarter of eight connections for each user. Statements end only when they are cancelled or when the gate opens.
const SETTINGS = {
  DB_POOL_SIZE: "8",
  DB_LOCK_TIMEOUT_MS: "100",
  DB_STATEMENT_TIMEOUT_MS: "600000",
};
const SHARE = 2;
const MAX_WAITING = 50 * SHARE;
const PASSWORD = "correct horse battery";

const closers: (() => Promise<unknown>)[] = [];
const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
let database: TestDatabase;
let admin: pg.Client;
let dispatcher: Agent;
let url = "";
let anonKey = "";
let attacker: User;
let victim: User;

class User {
  readonly #token: string;
  readonly #left = new AbortController();

  constructor(token: string) {
    this.#token = token;
  }

  async call(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      dispatcher,
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        prefer: "return=representation",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([this.#left.signal, ...(signal === undefined ? [] : [signal])]),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: text === "" ? null : JSON.parse(text),
    };
  }

  async addSwarm(): Promise<string> {
    const { status, body } = await this.call("POST", "/rest/v1/swarms", { name: "Team" });
    assert.equal(status, 201, JSON.stringify(body));
    return (body as { id: string }[])[0]?.id ?? "";
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

async function signUp(): Promise<User> {
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: "POST",
    dispatcher,
    headers: { apikey: anonKey, "content-type": "application/json" },
    body: JSON.stringify({ email: `${randomUUID()}@example.test`, password: PASSWORD }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return new User(token);
}

const codeOf = ({ body }: Answer): unknown => (body as { code?: unknown }).code;

async function countActive(text: string): Promise<number> {
  const { rows } = await admin.query(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'active' and position($1 in query) > 0 and pid <> pg_backend_pid()`,
    [text],
  );
  return rows[0].count as number;
}

/** A day of the victim: each of these calls needs a connection. */
async function checkVictim(): Promise<void> {
  const swarmId = await victim.addSwarm();
  for (let time = 0; time < 3; time += 1) {
    const answers = await Promise.all([
      victim.call("GET", `/rest/v1/swarms?id=eq.${swarmId}`),
      victim.call("GET", "/rest/v1/swarms?select=id,messages(id)"),
      victim.call("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { name: `Team ${time}` }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  }
}

const openGate = (): Promise<unknown> => database.owner.query("insert into public.gate default values");

before(async () => {
  database = await createTestDatabase({ after: (close) => void closers.push(close) });
  await database.owner.query(`
    create table public.gate (id int generated always as identity);
    create function public.linger() returns int stable language sql as 'select 1 from pg_sleep(600)';
    create function public.wait_for_gate() returns void language plpgsql security definer as $$
      begin while not exists (select from public.gate) loop perform pg_sleep(0.005); end loop; end $$;
    grant execute on function public.linger(), public.wait_for_gate() to authenticated;`);
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  cleanup.after(() => admin.end());
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-hostile-");
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = database;
  const service = await startServiceHere(
    { after: (close) => void closers.unshift(close) },
    {
      dataDir,
      env: { ...SETTINGS, DATABASE_URL, MASTER_KEY },
    },
  );
  ({ url, anon_key: anonKey } = service.credentials);
  dispatcher = new Agent({ connect: { ca: await readFile(service.credentials.ca_cert_file ?? "", "utf8") } });
  cleanup.after(() => dispatcher.close());
  [attacker, victim] = await Promise.all([signUp(), signUp()]);
});
afterEach(() => database.owner.query("truncate public.gate"));
after(async () => {
  for (const close of closers) await close();
});

describe("one user against all others", () => {
  it("holds a row with a batch beside ten changes of that row: the changes are 503 55P03, and others are served", async () => {
    const swarmId = await attacker.addSwarm();
    const operations = [
      { method: "PATCH", path: `/swarms?id=eq.${swarmId}`, body: { name: "Mine" } },
      { method: "POST", path: "/rpc/wait_for_gate", body: {} },
    ];
    const batch = attacker.call("POST", "/functions/v1/batch", { operations });
    await until(async () => (await countActive("wait_for_gate")) > 0);
    const changes = Array.from({ length: 10 }, () =>
      attacker.call("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { name: "Also mine" }),
    );
    await checkVictim();
    for (const answer of await Promise.all(changes)) {
      assert.deepEqual([answer.status, codeOf(answer)], [503, "55P03"]);
      assert.ok(Number(answer.retryAfter) >= 1);
    }
    await openGate();
    assert.equal((await batch).status, 200);
  });

  it("starts many slow reads: they hold all but one of its connections, the queue is bounded, and others and its quick calls are served", async () => {
    const swarmId = await attacker.addSwarm();
    const leave = new AbortController();
    const answered: Answer[] = [];
    const reads = Array.from({ length: SHARE + MAX_WAITING + 3 }, async () => {
      const answer = await attacker.call("GET", "/rest/v1/rpc/linger", undefined, leave.signal);
      answered.push(answer);
    });
    const ended = Promise.allSettled(reads);
    await until(async () => answered.length > 0 && (await countActive("linger")) === SHARE - 1);
    await checkVictim();
    const { status } = await attacker.call("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { name: "Quick" });
    assert.equal(status, 200);
    assert.equal(await countActive("linger"), SHARE - 1);
    leave.abort();
    await ended;
    assert.ok(answered.length >= 3);
    for (const answer of answered)
      assert.deepEqual([answer.status, codeOf(answer), Number(answer.retryAfter) >= 1], [503, "PGRST003", true]);
    // Nothing else ends these statements than the requests' cancellation.
    await until(async () => (await countActive("linger")) === 0);
  });
});

describe("a client that disconnects", () => {
  it("leaves a batch to its end", async () => {
    const leave = new AbortController();
    const name = randomUUID();
    const operations = [
      { method: "POST", path: "/swarms", body: { name } },
      { method: "POST", path: "/rpc/wait_for_gate", body: {} },
    ];
    const batch = attacker.call("POST", "/functions/v1/batch", { operations }, leave.signal);
    await until(async () => (await countActive("wait_for_gate")) > 0);
    leave.abort();
    await assert.rejects(batch);
    await checkVictim();
    await openGate();
    await until(
      async () => (await database.owner.query("select from public.swarms where name = $1", [name])).rowCount === 1,
    );
  });
});
