import assert from "node:assert/strict";
import { test } from "node:test";
import { openStage } from "./support/stage.ts";

const OTHERS = 500;
/** Each raises an event if somebody subscribes to it. */
const WRITES = [
  "insert into public.agents (user_id, name) values ($1, 'agent')",
  "update public.agents set name = name || 'x' where user_id = $1",
  "insert into public.messages (swarm_id, sender_type, sender_user_id, content) select id, 'user', $1, 'text' from public.swarms where owner_id = $1",
  "update public.messages set content = content || 'x' where sender_user_id = $1",
  "insert into public.swarms (owner_id, name) values ($1, 'swarm')",
  "update public.swarms set name = name || 'x' where owner_id = $1",
];

test("writes read no webhooks of others with plans that were made before there were any", async (t) => {
  const { sql, newUser, rows } = await openStage(t);
  const user = await newUser();
  await sql.query("alter table public.webhooks set (autovacuum_enabled = false)");
  await sql.query("vacuum analyze public.webhooks");
  await sql.query("insert into public.swarms (owner_id, name) values ($1, 'first')", [user]);
  /** Rows of the table and entries of its indexes. PostgreSQL may not have reset the counts of earlier transactions. */
  const readCount = async (): Promise<number> => {
    const [row] = await rows<{ reads: number }>(
      `select sum(pg_stat_get_xact_tuples_returned(c.oid))::integer as reads
       from pg_class c left join pg_index i on i.indexrelid = c.oid
       where coalesce(i.indrelid, c.oid) = 'public.webhooks'::regclass`,
    );
    return row?.reads ?? 0;
  };
  const countReads = async (write: string): Promise<number> => {
    await sql.query("begin");
    const before = await readCount();
    await sql.query(write, [user]);
    const reads = (await readCount()) - before;
    await sql.query("commit");
    return reads;
  };
  for (const write of WRITES) await countReads(write);
  await sql.query(
    `insert into auth.users (id, email) select gen_random_uuid(), 'other-' || n || '@example.test'
     from generate_series(1, $1::integer) as n`,
    [OTHERS],
  );
  await sql.query(
    `insert into public.webhooks (user_id, name, url, events) select id, 'hook', 'https://example.test/', '{agent.created}'
     from auth.users where email like 'other-%'`,
  );
  for (const write of WRITES) assert.equal(await countReads(write), 0, write);
});
