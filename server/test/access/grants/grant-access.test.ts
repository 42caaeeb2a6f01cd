import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { API_KEY_SCOPES, type ApiKeyScope } from "@swarmbase/sdk";
import pg from "pg";
import { type Principal, type TransactionScope, transactionScopeOf as principalScope } from "../../../src/db/index.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { attemptAs } from "../attempt.ts";
import { requestScope, userScope } from "../callers.ts";
import { bindFixtureIds, type FixtureIds } from "../fixture-ids.ts";
import { ADDITION_MATRIX, ADDITIONS, GRANT_CALLERS, GRANT_MATRIX, type GrantCaller, SUBJECTS } from "./grant-matrix.ts";
import { makeGrantWorld } from "./grant-world.ts";

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let client: pg.Client;
let ids: FixtureIds;

before(async () => {
  database = await createTestDatabase({ after: (close) => void closers.unshift(close) });
  ids = await makeGrantWorld(database.owner);
  client = new pg.Client({ connectionString: database.url("sb_user") });
  await client.connect();
  closers.unshift(() => client.end());
});
after(async () => {
  for (const close of closers) await close();
});

const lines = GRANT_MATRIX.trim()
  .split("\n")
  .slice(1)
  .filter((line) => line.trim() !== "");

describe("who sees and changes what a grant leaves", () => {
  test("every relation of the public schema has a line", async () => {
    const { rows } = await database.owner.query<{ name: string }>(
      `select c.relname as name from pg_catalog.pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
    );
    const written = new Set(lines.map((line) => (line.split("|")[0] ?? "").trim()));
    assert.deepEqual(
      rows.map(({ name }) => name).filter((name) => !written.has(name)),
      [],
    );
  });

  for (const [table, ofTable] of Map.groupBy(lines, (line) => (line.split("|")[0] ?? "").trim()))
    test(table, async () => {
      const observed = ofTable.map((line) =>
        line
          .split("|")
          .slice(0, 2)
          .map((part) => part.trim()),
      );
      const cells = new Map<string, string[]>();
      for (const caller of GRANT_CALLERS)
        await attemptAs(client, scopeOf(caller), async (attempts) => {
          for (const [, subject = ""] of observed) {
            const where = bindFixtureIds(SUBJECTS[subject]?.(table) ?? "", ids);
            const { rows } = await database.owner.query(`select 1 from public.${table} where ${where}`);
            const isView = VIEWS_OF_THE_CALLER.has(table);
            assert.ok(isView || rows.length > 0, `${table} has no row of ${subject}`);
            const done = {
              r: await attempts.try(`select 1 from public.${table} where ${where}`),
              u: await attempts.try(`update public.${table} set ${SAME[table] ?? "id = id"} where ${where}`),
              d: await attempts.try(`delete from public.${table} where ${where}`),
            };
            const cell = Object.entries(done).flatMap(([letter, outcome]) => (outcome === "yes" ? [letter] : []));
            cells.set(subject, [...(cells.get(subject) ?? []), cell.length === 0 ? "-" : cell.join("")]);
          }
        });
      assert.deepEqual(
        observed.map(([, subject = ""]) => `${subject}: ${cells.get(subject)?.join(" ")}`),
        ofTable.map((line) => {
          const [, subject = "", written = ""] = line.split("|").map((part) => part.trim());
          return `${subject}: ${written.split(/\s+/).join(" ")}`;
        }),
      );
    });
});

test("who adds something to what a grant leaves, and calls functions about it", async () => {
  const outcomes = new Map(Object.keys(ADDITIONS).map((addition) => [addition, [] as string[]]));
  for (const caller of GRANT_CALLERS)
    await attemptAs(client, scopeOf(caller), async (attempts) => {
      for (const [addition, statement] of Object.entries(ADDITIONS))
        outcomes.get(addition)?.push(await attempts.try(bindFixtureIds(statement, ids)));
    });
  const written = ADDITION_MATRIX.trim().split("\n").slice(1);
  assert.deepEqual(
    [...outcomes].map(([addition, cells]) => [addition, ...cells].join(" ")),
    written.map((line) =>
      line
        .split(/[\s|]+/)
        .join(" ")
        .trim(),
    ),
  );
});

/** Without a caller they show nothing. */
const VIEWS_OF_THE_CALLER = new Set([
  "agent_cards",
  "agent_customers",
  "agent_offers",
  "customer_turns",
  "public_profiles",
  "published_agents",
  "swarm_invitations",
  "event_feed_backlog",
  "webhook_backlog",
  "webhook_previous_secrets",
]);

/** An update that would change nothing, of tables without an id. */
const SAME: Readonly<Record<string, string>> = {
  agent_versions: "number = number",
  message_revisions: "revision = revision",
  conversation_summaries: "text = text",
  model_call_prompts: "sha256 = sha256",
  models: "position = position",
  run_events: "seq = seq",
  tool_execution_payloads: "input = input",
  user_settings: "theme = theme",
  profiles: "full_name = full_name",
  swarms: "name = name",
  agents: "name = name",
};

function scopeOf(caller: GrantCaller): TransactionScope {
  if (caller === "readKey")
    return keyScope(
      "readKey",
      API_KEY_SCOPES.filter((scope) => ["read", "write", "approve", "share"].includes(scope)),
    );
  if (caller === "runKey") return { ...keyScope("runKey", ["run"], true), isReadOnly: false };
  const id = ids.get(caller) ?? "";
  if (caller !== "anonymous") return userScope(id, `${caller}@example.test`);
  return requestScope("authenticated", { sub: id, role: "authenticated", is_anonymous: true });
}

/** A key of the asker. One without `write` and `share` reads only; its attempts to write are tried nevertheless. */
function keyScope(name: string, scopes: readonly ApiKeyScope[], isReadOnly = false): TransactionScope {
  const userId = ids.get("asker") ?? "";
  const claims = { sub: userId, role: "authenticated", api_key_id: ids.get(name), scopes, resources: null };
  const principal: Principal = { role: "authenticated", userId, claims, session: null, scopes, resources: null };
  const { role: _role, claims: _claims, ...transaction } = requestScope("authenticated", claims);
  return principalScope(principal, { ...transaction, isReadOnly });
}
