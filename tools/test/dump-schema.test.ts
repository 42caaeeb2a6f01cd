import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { connectClient } from "../../server/src/db/index.ts";
import { createTestDatabase } from "../../server/test/support/database.ts";
import { type Ask, askOver } from "../schema/ask.ts";
import { renderSchema } from "../schema/render-schema.ts";

const SCHEMA_FILE = join(import.meta.dirname, "../../server/schema.sql");

/** Each change must appear in the rendering; it is made in a transaction that is rolled back. */
const CHANGES: Readonly<Record<string, string>> = {
  "a column": "alter table public.agents add column extra text",
  "the order of columns":
    "alter table public.tools drop column category; alter table public.tools add column category text",
  "a type": "alter table public.tools alter column category type varchar(200)",
  "not null": "alter table public.agents alter column model set not null",
  "a default": "alter table public.agents alter column framework set default 'provider_b'",
  "a generated column": "alter table public.agents add column extra text generated always as (lower(name)) stored",
  "a storage parameter": "alter table public.agents set (fillfactor = 71)",
  "the storage of a column": "alter table public.agents alter column settings set storage external",
  "a check": "alter table public.swarms drop constraint swarms_name_length",
  "the text of a check":
    "alter table public.swarms drop constraint swarms_name_length; alter table public.swarms add constraint swarms_name_length check (char_length(name) <= 201)",
  "a foreign key's action":
    "alter table public.agents drop constraint agents_user_id_fkey; alter table public.agents add constraint agents_user_id_fkey foreign key (user_id) references auth.users",
  "an index": "create index extra_idx on public.agents (name)",
  "an index's condition":
    "drop index public.webhooks_subscribed_idx; create index webhooks_subscribed_idx on public.webhooks (user_id) include (events)",
  "the replica identity": "alter table public.agents replica identity full",
  "a published table": "alter publication swarmbase drop table public.tools",
  "a published column": "alter publication swarmbase set table public.tools (id, name)",
  "row rules off": "alter table public.agents disable row level security",
  "row rules forced": "alter table public.agents force row level security",
  "a policy": "create policy extra on public.agents for select to anon using (false)",
  "a policy's text": "alter policy agents_select on public.agents using (true)",
  "a policy's roles": "alter policy agents_select on public.agents to anon",
  "a trigger": "drop trigger agents_limit on public.agents",
  "a trigger that is off": "alter table public.agents disable trigger agents_limit",
  "a function's text":
    "create or replace function auth.uid() returns uuid language sql stable as $$ select null::uuid $$",
  "a function's rights": "alter function private.new_id() security definer",
  "a function's settings": "alter function private.my_swarm_ids() reset search_path",
  "who may execute": "grant execute on function private.emit_event(text, json, uuid[]) to public",
  "a grant on a table": "grant insert on public.profiles to anon",
  "a grant on a column": "grant update (name) on public.agents to anon",
  "a grant with grant option": "grant select on public.agents to authenticated with grant option",
  "a revoke": "revoke select on public.agents from authenticated",
  "a grant on a schema": "grant create on schema public to public",
  "default privileges":
    "alter default privileges for role swarmbase_owner in schema public grant select on tables to anon",
  "default privileges everywhere": "alter default privileges for role swarmbase_owner grant select on tables to anon",
  "a view's text":
    "create or replace view public.agent_cards as select id, name, role, avatar, status from public.agents",
  "a view's options": "alter view public.usage_daily reset (security_invoker)",
  "a comment on a table": "comment on table public.agents is 'changed'",
  "a comment on a column": "comment on column private.events.audience is 'changed'",
  "a comment on a column of a view": "comment on column public.agent_cards.name is 'changed'",
  "a comment on a function": "comment on function auth.uid() is 'changed'",
  "a comment on a constraint": "comment on constraint agents_pkey on public.agents is 'changed'",
  "an owner": "alter table public.agents owner to current_user",
  "a schema": "create schema extra",
  "a sequence": "create sequence public.extra",
  "an attribute of a role": "alter role sb_user createdb",
  "a membership": "grant service_role to sb_user",
};

describe("the schema file", () => {
  let ask: Ask;
  let unchanged = "";
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    // The file is that of the core.
    await database.owner.query(
      `drop schema ext_schedules, ext_triggers cascade;
       drop table public.schedules, public.triggers, public.trigger_calls cascade;
       drop trigger runs_note_end_of_schedule on public.runs;
       drop trigger runs_note_deletion_of_schedule on public.runs;
       drop trigger runs_note_end_of_trigger on public.runs;
       drop trigger runs_note_deletion_of_trigger on public.runs`,
    );
    const client = await connectClient(database.adminUrl);
    closers.unshift(() => client.end());
    ask = askOver(client);
    unchanged = await renderSchema(ask);
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("equals the migrated schema", async () => {
    const written = await readFile(SCHEMA_FILE, "utf8").catch(() => "");
    assert.ok(
      written === unchanged,
      `server/schema.sql is not up to date (${firstDifference(written, unchanged)}); run: npm run schema:dump`,
    );
  });

  it("is deterministic", async () => {
    assert.equal(await renderSchema(ask), unchanged);
  });

  for (const [name, change] of Object.entries(CHANGES)) {
    it(`shows ${name}`, async () => {
      await ask("begin");
      try {
        for (const statement of change.split("; ")) await ask(statement);
        assert.ok((await renderSchema(ask)) !== unchanged, "the rendering is the same");
      } finally {
        await ask("rollback");
      }
    });
  }

  it("covers every kind of object that the schema has", async () => {
    const unknown = await ask(
      `select 'relation ' || c.oid::regclass as object from pg_class c
         where c.relnamespace::regnamespace::text in ('public', 'auth', 'private') and c.relkind not in ('r', 'p', 'i', 'I', 'S', 'v', 't')
       union all
       select 'type ' || t.oid::regtype from pg_type t
         where t.typnamespace::regnamespace::text in ('public', 'auth', 'private') and t.typrelid = 0 and t.typelem = 0
       union all
       select 'aggregate ' || p.oid::regprocedure from pg_proc p
         where p.pronamespace::regnamespace::text in ('public', 'auth', 'private') and p.prokind not in ('f', 'p')
       union all select 'extension ' || extname from pg_extension where extname <> 'plpgsql'
       union all select 'event trigger ' || evtname from pg_event_trigger
       union all select 'rule ' || rulename from pg_rewrite where rulename <> '_RETURN' and ev_class >= 16384
       union all select 'child ' || inhrelid::regclass from pg_inherits join pg_class c on c.oid = inhrelid
         where inhrelid >= 16384 and not (c.relispartition and c.relnamespace = 'partitions'::regnamespace)
       union all select 'not a partition ' || c.oid::regclass from pg_class c
         where c.relnamespace = 'partitions'::regnamespace and c.relkind not in ('t', 'i') and not c.relispartition`,
    );
    assert.deepEqual(unknown, []);
  });
});

function firstDifference(before: string, after: string): string {
  const lines = after.split("\n");
  const at = before.split("\n").findIndex((line, place) => line !== lines[place]);
  return `first at line ${at === -1 ? before.split("\n").length : at + 1}`;
}
