import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { AppError } from "../../src/errors/index.ts";
import type { Catalogue } from "../../src/rest/catalogue/catalogue.ts";
import { isStaleSign } from "../../src/rest/catalogue/stale-signs.ts";
import { type CatalogueHolder, openCatalogue } from "../../src/rest/catalogue/watch-catalogue.ts";
import { connectClient } from "../../src/db/index.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openCatalogueStage } from "./catalogue-stage.ts";
import { until } from "../support/until.ts";

const NEVER_MS = 600_000;

const tables = (catalogue: Catalogue): string[] => [...(catalogue.schemas.get("live")?.relations.keys() ?? [])];
const has = (catalogue: Catalogue, table: string): boolean => tables(catalogue).includes(table);

describe("a catalogue that is kept up to date", () => {
  const opened = openCatalogueStage(`
    create schema live;
    create table live.first (id int primary key, name text default 'x');
    create table live.second (id int primary key, first_id int);
    create type live.kind as enum ('a');
    create view live.seen as select id from live.first;
    create function live.act() returns int language sql as 'select 1'`);

  const open = (listenUrl: string | null = opened.stage.database.url("sb_service")): Promise<CatalogueHolder> =>
    openCatalogue({ pool: opened.stage.pool, listenUrl, schemas: ["live"], observer: silentObserver });

  /** Watching until the test ends; resolves once it listens. */
  async function watch(t: TestContext, holder: CatalogueHolder, checkEveryMs = NEVER_MS): Promise<void> {
    const stop = new AbortController();
    const watching = holder.watch(stop.signal, { checkEveryMs });
    t.after(async () => {
      stop.abort();
      await watching;
    });
    if (checkEveryMs === NEVER_MS) await until(async () => (await listenerPid()) !== null, "listening");
  }

  /** Queried with the same login, which sees its own sessions. */
  async function listenerPid(): Promise<number | null> {
    const { rows } = await opened.stage.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'swarmbase-catalogue'
       and datname = current_database() and query like 'listen%' and state = 'idle'`,
    );
    return rows[0]?.pid ?? null;
  }

  it("sees a change after a notification, and does not modify the catalogue of running requests", async (t) => {
    const holder = await open();
    await watch(t, holder);
    const before = holder.current();
    await opened.stage.run("create table live.noticed (id int); notify pgrst, 'reload schema'");
    await until(() => has(holder.current(), "noticed"), "the new table");
    assert.equal(has(before, "noticed"), false);
    assert.notEqual(before.version, holder.current().version);
  });

  it("sees a change at once when an event trigger announces it", async (t) => {
    const admin = await connectClient(opened.stage.database.adminUrl);
    t.after(async () => {
      await admin.query("drop event trigger if exists announce_ddl; drop function if exists live.announce()");
      await admin.end();
    });
    await admin.query(`create function live.announce() returns event_trigger language plpgsql
      as $$ begin perform pg_notify('pgrst', 'reload schema'); end $$;
      create event trigger announce_ddl on ddl_command_end execute function live.announce()`);
    const holder = await open();
    await watch(t, holder);
    await opened.stage.run(
      "alter table live.second add constraint to_first foreign key (first_id) references live.first",
    );
    await until(
      () => holder.current().relationships.some(({ constraint }) => constraint === "to_first"),
      "the new key",
    );
  });

  it("sees changes that happened while the listener was disconnected, and reconnects", async (t) => {
    const holder = await open();
    await watch(t, holder);
    const pid = await listenerPid();
    const admin = await connectClient(opened.stage.database.adminUrl);
    t.after(() => admin.end());
    await admin.query(
      `begin; create table live.while_away (id int); grant select on live.while_away to sb_service;
       select pg_terminate_backend(${pid}); commit`,
    );
    await until(() => has(holder.current(), "while_away"), "the new table");
    await until(async () => ![null, pid].includes(await listenerPid()), "listening again");
    await opened.stage.run("create table live.afterwards (id int); notify pgrst, 'reload schema'");
    await until(() => has(holder.current(), "afterwards"), "the next table");
  });

  it("finds an unannounced change by polling", async (t) => {
    const holder = await open(null);
    await watch(t, holder, 20);
    await opened.stage.run("alter table live.first rename column name to title");
    await until(
      () => holder.current().schemas.get("live")?.relations.get("first")?.columns.has("title") ?? false,
      "the new name",
    );
  });

  it("knows a new table when a request asks for it right after its creation", async () => {
    const holder = await open();
    for (const name of ["quick_1", "quick_2", "quick_3"]) {
      await opened.stage.run(`create table live.${name} (id int)`);
      assert.ok(has(await holder.refresh(), name), name);
    }
  });

  const CHANGES = [
    "alter table live.first add column more int",
    "alter table live.first alter column more type text",
    "alter table live.first alter column more set default 'y'",
    "alter table live.first alter column more set default 'z'",
    "alter table live.first alter column more set not null",
    "alter table live.first alter column more drop not null",
    "alter table live.first rename column more to less",
    "alter table live.first drop column less",
    "alter table live.second add constraint one_only unique (first_id)",
    "alter table live.second rename constraint one_only to just_one",
    "alter table live.second drop constraint just_one",
    "alter table live.second rename to third",
    "alter type live.kind add value 'b'",
    "alter type live.kind rename value 'b' to 'c'",
    "create or replace view live.seen as select id, id as again from live.first",
    "create or replace function live.act() returns int language sql as 'select 2'",
    "create function live.act(a int) returns int language sql as 'select a'",
    "drop function live.act(int)",
    "comment on table live.first is 'first'",
    "comment on table live.first is 'First'",
    "comment on schema live is 'Live'",
    "create domain live.code as int",
    "create function live.code_to_json(live.code) returns json language sql immutable as 'select to_json($1::int)'",
    "create cast (live.code as json) with function live.code_to_json(live.code) as implicit",
    "create schema newer",
    "alter table live.third set schema newer",
    "drop view live.seen",
    "drop schema newer cascade",
  ];
  it("has another version after every kind of change", async () => {
    const holder = await open();
    for (const change of CHANGES) {
      const before = holder.current();
      await opened.stage.run(change);
      const now = await holder.reload();
      assert.notEqual(now.version, before.version, change);
      assert.equal(now, holder.current());
    }
    assert.equal(await holder.refresh(), holder.current());
  });

  it("keeps its version, and its object, when only rows and statistics change", async () => {
    const holder = await open();
    const before = holder.current();
    await opened.stage.run("insert into live.first (id) select generate_series(1, 1000)");
    await opened.stage.run("analyze live.first");
    await opened.stage.run("vacuum live.first");
    assert.equal(await holder.refresh(), before);
    assert.equal(await holder.reload(), before);
  });

  it("answers many misses with few checks and no reload", async () => {
    const holder = await open();
    const before = holder.current();
    let polls = 0;
    const count = (): void => void polls++;
    opened.stage.pool.on("acquire", count);
    const startedAtMs = performance.now();
    let answered = 0;
    try {
      await Promise.all(
        Array.from({ length: 200 }, async () => {
          for (let times = 0; times < 5; times++) {
            assert.equal(await holder.refresh(), before);
            answered++;
          }
        }),
      );
    } finally {
      opened.stage.pool.off("acquire", count);
    }
    const tookMs = performance.now() - startedAtMs;
    assert.equal(answered, 1000);
    assert.ok(polls <= 2 + tookMs / 100, `${polls} polls in ${tookMs} ms`);
  });

  it("reloads once for concurrent misses", async () => {
    const notes: string[] = [];
    const observer = { ...silentObserver, note: (name: string) => void notes.push(name) };
    const { pool } = opened.stage;
    const holder = await openCatalogue({ pool, listenUrl: null, schemas: ["live"], observer });
    await opened.stage.run("create table live.wanted (id int)");
    const answers = await Promise.all(Array.from({ length: 300 }, () => holder.refresh()));
    assert.ok(answers.every((catalogue) => has(catalogue, "wanted")));
    assert.deepEqual(notes, ["catalogue.reloaded"]);
  });

  it("keeps the catalogue while the database is unreachable, and rejects refreshes", async () => {
    const pool = new pg.Pool({ connectionString: opened.stage.database.url("sb_service") });
    const holder = await openCatalogue({ pool, listenUrl: null, schemas: ["live"], observer: silentObserver });
    const before = holder.current();
    await pool.end();
    const isAway = (error: unknown): boolean => error instanceof AppError && error.code === "SERVICE_UNAVAILABLE";
    await assert.rejects(holder.refresh(), isAway);
    await assert.rejects(holder.reload(), isAway);
    assert.equal(holder.current(), before);
  });

  it("treats only errors about names and types as signs of an outdated catalogue", async () => {
    const { pool } = opened.stage;
    for (const text of ["select * from live_gone", "select gone from pg_class", "select gone()", "select null::gone"]) {
      const error = await pool.query(text).catch((fault: unknown) => fault);
      assert.ok(error instanceof pg.DatabaseError && isStaleSign(error.code ?? ""), text);
    }
    for (const code of ["23505", "42501", "22P02", "57014", "P0001"]) assert.equal(isStaleSign(code), false, code);
  });
});
