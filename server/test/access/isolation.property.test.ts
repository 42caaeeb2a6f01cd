import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { createTestDatabase } from "../support/database.ts";
import { enter } from "./attempt.ts";
import { userScope } from "./callers.ts";
import { randomWorld } from "./isolation/random-world.ts";
import { idOf, storeWorld } from "./isolation/store-world.ts";
import { ROW_NAMES, type VisibleRows, visibleRows } from "./isolation/visible-rows.ts";

const EVERYTHING = Object.entries(ROW_NAMES)
  .map(([table, name]) => `select '${table}' as "table", (${name})::text as row from public.${table}`)
  .join("\nunion all\n");

test("in any world, everybody sees what the rules say and nothing else", async (t) => {
  const database = await createTestDatabase(t);
  // Superuser, to act in turn as the schema's owner and as every user within one transaction that is taken back.
  const client = new pg.Client({ connectionString: database.adminUrl });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());

  await t.test("every table and view of the interface is asked about", async () => {
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')",
    );
    // A feed and what was sent to a webhook follow their owner column, as the webhook does, its replaced secrets follow the webhook, and
    // models and types of events are the same to everybody; the matrix has them. Grants have a matrix of their own.
    const asked = [
      ...Object.keys(ROW_NAMES),
      "models",
      "event_feed_backlog",
      "event_feeds",
      "event_types",
      "webhook_deliveries",
      "webhook_delivery_attempts",
      "webhook_recoveries",
      "webhook_previous_secrets",
      "agent_grants",
      "published_agents",
      "agent_offers",
      "agent_customers",
      "customer_turns",
    ];
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), asked.toSorted());
  });

  await t.test("random worlds", async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, async (world) => {
        await client.query("begin");
        try {
          await client.query("set local role swarmbase_owner");
          await client.query(storeWorld(world));
          for (const user of world.users.keys()) {
            assert.deepEqual(await readAll(client, user), sorted(visibleRows(world, user)), `user ${user}`);
          }
        } finally {
          await client.query("rollback");
        }
      }),
      { numRuns: 30 },
    );
  });
});

async function readAll(client: pg.Client, user: number): Promise<VisibleRows> {
  await enter(client, userScope(idOf("user", user), `user${user}@example.test`));
  const { rows } = await client.query<{ table: keyof VisibleRows; row: string }>(EVERYTHING);
  const seen = Map.groupBy(rows, ({ table }) => table);
  return sorted(
    Object.fromEntries(
      Object.keys(ROW_NAMES).map((table) => [
        table,
        (seen.get(table as keyof VisibleRows) ?? []).map(({ row }) => row),
      ]),
    ) as unknown as VisibleRows,
  );
}

function sorted(rows: VisibleRows): VisibleRows {
  return Object.fromEntries(
    Object.entries(rows).map(([table, names]) => [table, names.toSorted()]),
  ) as unknown as VisibleRows;
}
