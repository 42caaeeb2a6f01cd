import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connectClient } from "../../../src/db/index.ts";
import { type Asked, openRestStage } from "./rest-stage.ts";
import { WAIT_MS } from "../../support/wait-limit.ts";

const SHOWN = { prefer: "return=representation" };
const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;
const GRANTS =
  "grant all on all tables in schema shop to service_role; grant execute on all functions in schema shop to service_role;";
const SCHEMA = `create schema shop; grant usage on schema shop to anon, authenticated, service_role;`;

for (const isWatching of [false, true]) {
  describe(`a changed schema, ${isWatching ? "watched" : "found by the requests alone"}`, () => {
    const opened = openRestStage(SCHEMA, { schemas: ["shop"], isWatching });
    const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
    const change = (statements: string) => opened.stage.run(`${statements}; ${GRANTS}`);
    const twice = async (line: string, options?: Parameters<typeof ask>[1]): Promise<Asked> => {
      await ask(line, options);
      await ask(line, options);
      return ask(line, options);
    };

    it("serves a new table to the next request, and a dropped table no longer", async () => {
      assert.equal((await ask("GET /fresh")).status, 404);
      await change("create table shop.fresh (id int primary key, name text)");
      assert.equal((await ask("POST /fresh", { body: { id: 1, name: "a" } })).status, 201);
      assert.deepEqual((await twice("GET /fresh")).json, [{ id: 1, name: "a" }]);
      await change("alter table shop.fresh rename to ripe");
      const old = await ask("GET /fresh");
      assert.deepEqual([old.status, codeOf(old)], [404, "PGRST205"]);
      assert.deepEqual((await ask("GET /ripe")).json, [{ id: 1, name: "a" }]);
      await change("drop table shop.ripe");
      assert.deepEqual([(await ask("GET /ripe")).status, (await ask("POST /ripe", { body: {} })).status], [404, 404]);
    });

    it("serves a table that replaces another one at once", async () => {
      await change(
        "create table shop.swapped (id int primary key, old text); insert into shop.swapped values (1, 'o')",
      );
      assert.deepEqual((await twice("GET /swapped")).json, [{ id: 1, old: "o" }]);
      await change(
        "begin; drop table shop.swapped; create table shop.swapped (key text primary key, num numeric); commit",
      );
      assert.deepEqual((await ask("GET /swapped")).json, []);
      const made = await ask("POST /swapped", { headers: SHOWN, body: { key: "k", num: 1.5 } });
      assert.deepEqual([made.status, made.json], [201, [{ key: "k", num: 1.5 }]]);
      assert.deepEqual((await ask("GET /swapped")).json, [{ key: "k", num: 1.5 }]);
    });

    it("serves a new column to reads and writes, named or not", async () => {
      await change("create table shop.grown (id int primary key); insert into shop.grown values (1)");
      assert.deepEqual((await twice("GET /grown")).json, [{ id: 1 }]);
      await change("alter table shop.grown add column extra text default 'd'");
      assert.deepEqual((await ask("GET /grown")).json, [{ id: 1, extra: "d" }]);
      assert.deepEqual((await ask("GET /grown?select=extra&extra=eq.d&order=extra")).json, [{ extra: "d" }]);
      assert.equal((await ask("GET /grown", { headers: { accept: "text/csv" } })).text, "id,extra\n1,d");
      const made = await ask("POST /grown", { headers: SHOWN, body: { id: 2, extra: "own" } });
      assert.deepEqual([made.status, made.json], [201, [{ id: 2, extra: "own" }]]);
      await change("alter table shop.grown add column more int");
      assert.equal((await ask("PATCH /grown?id=eq.2", { body: { more: 5 } })).status, 204);
      assert.deepEqual((await ask("GET /grown?id=eq.2")).json, [{ id: 2, extra: "own", more: 5 }]);
    });

    it("rejects a dropped column and serves the others", async () => {
      await change(
        "create table shop.shrunk (id int primary key, gone text, kept text); insert into shop.shrunk values (1, 'g', 'k')",
      );
      await twice("GET /shrunk");
      await twice("GET /shrunk?select=gone");
      await twice("PATCH /shrunk?id=eq.1", { headers: SHOWN, body: { kept: "l" } });
      await change("alter table shop.shrunk drop column gone");
      assert.deepEqual((await ask("GET /shrunk")).json, [{ id: 1, kept: "l" }]);
      const read = await ask("GET /shrunk?select=gone");
      assert.deepEqual([read.status, codeOf(read)], [400, "42703"]);
      assert.deepEqual((await ask("PATCH /shrunk?id=eq.1", { headers: SHOWN, body: { kept: "m" } })).json, [
        { id: 1, kept: "m" },
      ]);
      const write = await ask("POST /shrunk", { body: { id: 2, gone: "x" } });
      assert.deepEqual([write.status, codeOf(write)], [400, "PGRST204"]);
    });

    it("follows a renamed column", async () => {
      await change("create table shop.named (id int primary key, before text); insert into shop.named values (1, 'x')");
      await twice("GET /named");
      await twice("PATCH /named?id=eq.1&select=*", { headers: SHOWN, body: { before: "y" } });
      await change("alter table shop.named rename column before to after");
      assert.deepEqual((await ask("GET /named?after=eq.y")).json, [{ id: 1, after: "y" }]);
      assert.deepEqual((await ask("PATCH /named?id=eq.1", { headers: SHOWN, body: { after: "z" } })).json, [
        { id: 1, after: "z" },
      ]);
      const old = await ask("PATCH /named?id=eq.1", { body: { before: "y" } });
      assert.deepEqual([old.status, codeOf(old)], [400, "PGRST204"]);
    });

    it("reads and writes a column by its new type without losing digits", async () => {
      await change(
        `create table shop.typed (id int primary key, n int, price numeric(10, 2), word varchar(3), at timestamp)`,
      );
      const body = { id: 1, n: 1, price: 1.23, word: "abc", at: "2024-01-01T12:00:00" };
      assert.equal((await ask("POST /typed", { body })).status, 201);
      const put = (row: object) => ask("PATCH /typed?id=eq.1&select=n,price,word,at", { headers: SHOWN, body: row });
      for (let times = 0; times < 3; times += 1) await put({ n: 2 });
      for (let times = 0; times < 3; times += 1) await put({ price: 2.34 });
      for (let times = 0; times < 3; times += 1) await put({ word: "abd" });
      for (let times = 0; times < 3; times += 1) await put({ at: "2024-01-01T12:00:00" });
      await change("alter table shop.typed alter column price type numeric(10, 4)");
      assert.equal(((await put({ price: 1.2345 })).json as { price: number }[])[0]?.price, 1.2345);
      await change("alter table shop.typed alter column word type text");
      assert.equal(((await put({ word: "longer" })).json as { word: string }[])[0]?.word, "longer");
      await change("alter table shop.typed alter column at type timestamptz using at at time zone 'UTC'");
      const { at } = ((await put({ at: "2024-01-01T12:00:00+02:00" })).json as { at: string }[])[0] ?? {};
      assert.equal(at, "2024-01-01T10:00:00+00:00");
      await change("alter table shop.typed alter column n type text using n::text");
      assert.equal(((await put({ n: "07" })).json as { n: string }[])[0]?.n, "07");
      assert.deepEqual((await ask("GET /typed?select=n&n=eq.07")).json, [{ n: "07" }]);
      await change("alter table shop.typed alter column n type jsonb using to_jsonb(n)");
      assert.deepEqual((await put({ n: { a: [1] } })).json, [{ n: { a: [1] }, price: 1.2345, word: "longer", at }]);
      assert.deepEqual((await ask("GET /typed?select=n->a->0&n->a->>0=eq.1")).json, [{ a: 1 }]);
    });

    it("serves a new function and a changed one", async () => {
      assert.equal((await ask("POST /rpc/doubled", { body: { n: 2 } })).status, 404);
      await change("create function shop.doubled(n int) returns int language sql stable as 'select n * 2'");
      assert.equal((await ask("POST /rpc/doubled", { body: { n: 2 } })).json, 4);
      assert.equal((await twice("GET /rpc/doubled?n=3")).json, 6);
      await change("create or replace function shop.doubled(n int) returns int language sql stable as 'select n * 20'");
      assert.equal((await ask("GET /rpc/doubled?n=3")).json, 60);
      await change(
        "drop function shop.doubled(int); create function shop.doubled(n numeric) returns numeric language sql stable as 'select n * 2'",
      );
      assert.equal((await ask("GET /rpc/doubled?n=1.5")).json, 3);
      await change(
        "drop function shop.doubled(numeric); create function shop.doubled(m int) returns int language sql stable as 'select m * 3'",
      );
      assert.equal((await ask("GET /rpc/doubled?m=2")).json, 6);
      assert.equal((await ask("GET /rpc/doubled?n=2")).status, 404);
      await change(
        "drop function shop.doubled(int); create function shop.doubled(m int) returns setof int language sql stable as 'select generate_series(m, m * 2)'",
      );
      assert.deepEqual((await ask("GET /rpc/doubled?m=2")).json, [2, 3, 4]);
    });

    it("embeds through a new relationship, and no longer through a dropped one", async () => {
      await change(`create table shop.parents (id int primary key, name text); create table shop.kids (id int primary key, parent_id int);
        insert into shop.parents values (1, 'p'); insert into shop.kids values (1, 1)`);
      const before = await ask("GET /kids?select=id,parents(name)");
      assert.deepEqual([before.status, codeOf(before)], [400, "PGRST200"]);
      await change("alter table shop.kids add constraint kin foreign key (parent_id) references shop.parents");
      assert.deepEqual((await twice("GET /kids?select=id,parents(name)")).json, [{ id: 1, parents: { name: "p" } }]);
      assert.deepEqual((await ask("GET /parents?select=name,kids(id)")).json, [{ name: "p", kids: [{ id: 1 }] }]);
    });

    it("detects duplicates by a new key", async () => {
      await change("create table shop.keyed (id int, name text, unique (name))");
      assert.equal(
        (
          await ask("POST /keyed?on_conflict=id", {
            headers: { prefer: "resolution=merge-duplicates" },
            body: { id: 1 },
          })
        ).status,
        400,
      );
      await change("alter table shop.keyed add primary key (id)");
      for (const status of [201, 200]) {
        const headers = { prefer: "resolution=merge-duplicates" };
        assert.equal((await ask("POST /keyed?on_conflict=id", { headers, body: { id: 1, name: "x" } })).status, status);
      }
    });

    it("returns no wrong response while it changes", async () => {
      await change("create table shop.busy (id int primary key, a text default 'a'); insert into shop.busy values (1)");
      const owner = await connectClient(opened.stage.database.ownerUrl);
      let isDone = false;
      const faults: string[] = [];
      let [reads, writes] = [0, 0];
      const read = async (): Promise<void> => {
        while (!isDone) {
          const answer = await ask("GET /busy?id=eq.1");
          const [row] = answer.status === 200 ? (answer.json as { id: number; a: string }[]) : [];
          if (row?.id !== 1 || row.a !== "a") faults.push(`read: ${answer.status} ${answer.text}`);
          reads += 1;
        }
      };
      const write = async (offset: number): Promise<void> => {
        for (let at = offset; !isDone; at += 10) {
          const answer = await ask("POST /busy", { headers: SHOWN, body: { id: at, a: "w" } });
          const [row] = answer.status === 201 ? (answer.json as { id: number; a: string }[]) : [];
          if (row?.id !== at || row.a !== "w") faults.push(`write: ${answer.status} ${answer.text}`);
          writes += 1;
        }
      };
      const running = [read(), read(), read(), write(1005), write(1006)];
      for (let round = 0; round < 6; round += 1) {
        await owner.query(`alter table shop.busy add column extra_${round} int default ${round}`);
        const seen = await ask(`GET /busy?id=eq.1&select=extra_${round}`);
        if ((seen.json as Record<string, number>[])[0]?.[`extra_${round}`] !== round)
          faults.push(`extra: ${seen.text}`);
        await owner.query(`create table shop.side_${round} (id int primary key, busy_id int references shop.busy);
          grant all on shop.side_${round} to service_role`);
        const embedded = await ask(`GET /busy?id=eq.1&select=id,side_${round}(id)`);
        if (embedded.status !== 200) faults.push(`embed: ${embedded.text}`);
        await owner.query(`alter table shop.busy rename column extra_${round} to other_${round};
          alter table shop.busy drop column other_${round}`);
      }
      isDone = true;
      await Promise.all(running);
      await owner.end();
      assert.deepEqual(faults, []);
      assert.ok(reads > 10 && writes > 10, `${reads} reads, ${writes} writes`);
    });

    if (isWatching) {
      it("is reloaded after a notification", async () => {
        await change(`create table shop.items (id int primary key, other_id int unique); create table shop.others (id int primary key);
          insert into shop.others values (1); insert into shop.items values (1, 1);
          alter table shop.items add constraint one foreign key (other_id) references shop.others`);
        assert.deepEqual((await ask("GET /others?select=id,items(id)")).json, [{ id: 1, items: { id: 1 } }]);
        await change("alter table shop.items drop constraint items_other_id_key; notify pgrst, 'reload schema'");
        const deadline = performance.now() + WAIT_MS;
        for (;;) {
          const { json } = await ask("GET /others?select=id,items(id)");
          if (Array.isArray((json as { items: unknown }[])[0]?.items)) break;
          assert.ok(performance.now() < deadline, "the notice was not heard");
          await sleep(5);
        }
      });
    }
  });
}
