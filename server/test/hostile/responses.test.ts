import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, fetch } from "undici";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { WAIT_MS } from "../support/wait-limit.ts";

const MIB = 1024 * 1024;
const MAX_BYTES = 8 * MIB;
const SETTINGS = {
  DB_MAX_ROWS: "100",
  DB_RESPONSE_LIMIT_BYTES: String(MAX_BYTES),
  // A quarter of it is for one user.
  DB_BUFFER_LIMIT_BYTES: String(4 * MAX_BYTES),
  DB_MAX_COUNTED_ROWS: "50",
};

// Each of the hundred books of the large shelf has 100,000 bytes, and those of the small one have few.
const OBJECTS = `
  create table public.shelves (id int primary key);
  create table public.books (id int primary key, shelf_id int references public.shelves, owner uuid, text text);
  insert into public.shelves values (1), (2), (3);
  insert into public.books select g, 1, null, repeat('x', 100000) from generate_series(1, 100) g;
  insert into public.books select 1000 + g, 2, null, 'short' from generate_series(1, 101) g;
  insert into public.books values (2000, 3, null, 'only one');
  create table public.diaries (id int primary key, shelf_id int references public.shelves, owner uuid, text text);
  alter table public.diaries enable row level security;
  create policy diaries_own on public.diaries to authenticated using (owner = (select auth.uid()));
  create function public.all_books() returns setof public.books language sql stable as 'select * from public.books where shelf_id = 1';
  create function public.one_text() returns text language sql stable as $$ select repeat('x', ${MAX_BYTES}) $$;
  grant select, insert, update, delete on public.shelves, public.books, public.diaries to authenticated;
  grant execute on function public.all_books(), public.one_text() to authenticated;
  analyze public.books`;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly code: unknown;
  readonly body: unknown;
}

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let dispatcher: Agent;
let ca = "";
let url = "";
let anonKey = "";
let attacker: User;
let victim: User;

class User {
  readonly id: string;
  readonly #token: string;

  constructor(id: string, token: string) {
    this.id = id;
    this.#token = token;
  }

  get headers(): Record<string, string> {
    return { apikey: anonKey, authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
  }

  async call(line: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(`${url}${path}`, {
      method,
      dispatcher,
      headers: { ...this.headers, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
    const parsed: unknown = isJson ? JSON.parse(text) : text;
    const { code } = Object(parsed) as { code?: unknown };
    return { status: response.status, headers: response.headers as unknown as Headers, code, body: parsed };
  }

  async callUntilServed(line: string): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    while ((await this.call(line)).status !== 200) {
      assert.ok(Date.now() < deadline, `${line} is not served`);
      await sleep(10);
    }
  }

  /** A large response whose body is not read. */
  async stall(path: string): Promise<IncomingMessage> {
    const request = https.request(`${url}${path}`, { ca, agent: false, headers: this.headers });
    request.end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return response;
  }
}

async function signUp(): Promise<User> {
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: "POST",
    dispatcher,
    headers: { apikey: anonKey, "content-type": "application/json" },
    body: JSON.stringify({ email: `${randomUUID()}@example.test`, password: "correct horse battery" }),
  });
  const { access_token: token, user } = (await response.json()) as { access_token: string; user: { id: string } };
  return new User(user.id, token);
}

before(async () => {
  database = await createTestDatabase({ after: (close) => void closers.push(close) });
  await database.owner.query(OBJECTS);
  const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-hostile-");
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = database;
  const service = await startServiceHere(cleanup, { dataDir, env: { ...SETTINGS, DATABASE_URL, MASTER_KEY } });
  ({ url, anon_key: anonKey } = service.credentials);
  ca = await readFile(service.credentials.ca_cert_file ?? "", "utf8");
  dispatcher = new Agent({ connect: { ca } });
  cleanup.after(() => dispatcher.close());
  [attacker, victim] = await Promise.all([signUp(), signUp()]);
});
after(async () => {
  for (const close of closers) await close();
});

describe("the cost of a query", () => {
  const aliases = (count: number, of: string): string =>
    Array.from({ length: count }, (_, number) => `a${number}:${of}`).join(",");
  const nested = (depth: number): string =>
    Array.from({ length: depth }, (_, level) => (level % 2 === 0 ? "books(" : "shelves(")).join("") +
    `id${")".repeat(depth)}`;

  for (const [title, select] of [
    ["is bounded: forty aliases of one embedded list are 400 QUERY_TOO_COMPLEX", `id,${aliases(40, "books(*)")}`],
    ["is bounded: embeddings nested nine deep are 400 QUERY_TOO_COMPLEX", `id,${nested(9)}`],
    ["is bounded: hundreds of aliases of one column are 400 QUERY_TOO_COMPLEX", `id,${aliases(500, "id")}`],
  ] as const) {
    it(title, async () => {
      const { status, code } = await attacker.call(`GET /rest/v1/shelves?select=${select}`);
      assert.deepEqual([status, code], [400, "QUERY_TOO_COMPLEX"]);
    });
  }

  it("allows twenty embeddings, and eight in a row", async () => {
    const wide = await attacker.call(`GET /rest/v1/shelves?id=eq.3&select=id,${aliases(20, "books(id)")}`);
    const deep = await attacker.call(`GET /rest/v1/shelves?id=eq.3&select=id,${nested(8)}`);
    assert.deepEqual([wide.status, deep.status], [200, 200]);
  });

  it("is that of all operations of a batch together", async () => {
    const read = { method: "GET", path: `/shelves?id=eq.3&select=id,${aliases(11, "books(id)")}` };
    const { status, code, body } = await attacker.call("POST /functions/v1/batch", {}, { operations: [read, read] });
    assert.deepEqual([status, code, (body as { operation: number }).operation], [400, "QUERY_TOO_COMPLEX", 1]);
  });

  it("counts the rows of an embedded list: one with more than DB_MAX_ROWS is cut off, and the response says so", async () => {
    const { status, headers, body } = await attacker.call("GET /rest/v1/shelves?id=eq.2&select=books(id)");
    assert.deepEqual([status, headers.get("x-row-limit")], [206, "100"]);
    assert.equal((body as { books: unknown[] }[])[0]?.books.length, 100);
  });
});

describe("a response that is too large", () => {
  for (const [what, line, headers] of [
    ["rows", "GET /rest/v1/books?shelf_id=eq.1", {}],
    ["CSV", "GET /rest/v1/books?shelf_id=eq.1", { accept: "text/csv" }],
    ["an embedded list", "GET /rest/v1/shelves?id=eq.1&select=books(*)", {}],
    ["a list of a spread", "GET /rest/v1/shelves?id=eq.1&select=id,...books(text)", {}],
    [
      "lists of several embeds, none of which is too large",
      "GET /rest/v1/shelves?id=eq.1&select=a:books(text),b:books(text)&a.limit=50&b.limit=50",
      {},
    ],
    ["rows of a function", "GET /rest/v1/rpc/all_books", {}],
    ["a value of a function", "POST /rest/v1/rpc/one_text", {}],
    [
      "a single object",
      "GET /rest/v1/shelves?id=eq.1&select=books(*)",
      { accept: "application/vnd.pgrst.object+json" },
    ],
  ] as const) {
    it(`is 413 RESPONSE_TOO_LARGE: ${what}`, async () => {
      const { status, code } = await attacker.call(line, headers);
      assert.deepEqual([status, code], [413, "RESPONSE_TOO_LARGE"]);
    });
  }

  it("rolls back the write that has it, and the whole batch", async () => {
    const prefer = { prefer: "return=representation" };
    const changed = await attacker.call("PATCH /rest/v1/books?shelf_id=eq.1", prefer, { owner: attacker.id });
    const read = { method: "GET", path: "/books?shelf_id=eq.1&limit=50" };
    const write = { method: "PATCH", path: "/books?id=eq.1", body: { owner: attacker.id } };
    const batch = await attacker.call("POST /functions/v1/batch", {}, { operations: [write, read, read] });
    for (const { status, code } of [changed, batch]) assert.deepEqual([status, code], [413, "RESPONSE_TOO_LARGE"]);
    assert.equal((batch.body as { operation: number }).operation, 2);
    const { rows } = await database.owner.query(
      "select count(*)::int as count from public.books where owner is not null",
    );
    assert.equal(rows[0].count, 0);
  });

  it("is sent whole when it is just within the limit", async () => {
    const { status, body } = await attacker.call("GET /rest/v1/books?shelf_id=eq.1&limit=80");
    assert.equal(status, 200);
    assert.equal((body as unknown[]).length, 80);
  });
});

describe("responses that are not read", () => {
  it("use up the share of their reader, then 503 with Retry-After; small responses and other users are served", async () => {
    const large = "/rest/v1/books?shelf_id=eq.1&limit=80";
    const stalled = await attacker.stall(large);
    const refused = await attacker.call(`GET ${large}`);
    assert.deepEqual([refused.status, refused.code], [503, "SERVICE_UNAVAILABLE"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await victim.call(`GET ${large}`)).status, 200);
    // Not before the time of Retry-After, unless the read is known to be quick.
    await attacker.callUntilServed("GET /rest/v1/books?shelf_id=eq.3");
    stalled.destroy();
    await attacker.callUntilServed(`GET ${large}`);
  });
});

describe("a count of rows", () => {
  const totalOf = async (user: User, count: string): Promise<(string | null)[]> => {
    const { headers } = await user.call(`HEAD /rest/v1/diaries?limit=10`, { prefer: `count=${count}` });
    return [headers.get("content-range")?.split("/")[1] ?? null, headers.get("preference-applied")];
  };

  it("tells nothing about rows of others, however it is counted", async () => {
    await database.owner.query(`insert into public.diaries select g, 3, $1, 'private' from generate_series(1, 600) g`, [
      victim.id,
    ]);
    await database.owner.query("insert into public.diaries values (9999, 3, $1, 'mine')", [attacker.id]);
    await database.owner.query("analyze public.diaries");
    for (const count of ["planned", "estimated", "exact"])
      assert.deepEqual(await totalOf(attacker, count), ["1", `count=${count}`]);
  });

  it("stops at DB_MAX_COUNTED_ROWS, unless it is exact", async () => {
    for (const count of ["planned", "estimated"])
      assert.deepEqual(await totalOf(victim, count), ["50", "count=capped"], count);
    assert.deepEqual(await totalOf(victim, "exact"), ["600", "count=exact"]);
  });
});
