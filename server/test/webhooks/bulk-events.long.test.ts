import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { openStage, type Stage } from "./support/stage.ts";

const EVENTS = 100_000;
/** What a backend may take for one statement, however many events it emits. */
const MAX_GROWTH_KIB = 64 * 1_024;

/** Memory of the backend of the test that is not shared. */
async function readOwnMemoryKiB({ rows }: Stage): Promise<number> {
  const [backend] = await rows<{ pid: number }>("select pg_backend_pid() as pid");
  const status = await readFile(`/proc/${backend?.pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]);
}

test("one statement emits 100,000 events in bounded memory, and the next event of somebody else does not wait for them", async (t) => {
  const stage = await openStage(t);
  const { sql } = stage;
  const [bulk, other] = [await stage.newUser(), await stage.newUser()];
  await sql.query("insert into public.event_types (name) values ('app.bulk')");
  await stage.newWebhook(bulk, "https://example.test/", { events: ["app.bulk"] });
  const webhook = await stage.newWebhook(other, "https://example.test/");
  const beforeKiB = await readOwnMemoryKiB(stage);
  await sql.query("begin");
  await sql.query("select count(public.emit_event('app.bulk', '{\"a\": 1}', $1)) from generate_series(1, $2::int)", [
    bulk,
    EVENTS,
  ]);
  const grownKiB = (await readOwnMemoryKiB(stage)) - beforeKiB;
  await sql.query("commit");
  assert.ok(grownKiB < MAX_GROWTH_KIB, `${grownKiB} KiB`);
  await stage.newAgents(other);
  await sql.query("select private.fan_out_events(max_events => 200, first_delay => '0')");
  const [found] = await stage.rows<{ own: number; waiting: number }>(
    `select (select count(*)::integer from public.webhook_deliveries where webhook_id = $1) as own,
       (select count(*)::integer from private.events) as waiting`,
    [webhook],
  );
  assert.deepEqual(found, { own: 1, waiting: EVENTS + 1 - 250 });
});
