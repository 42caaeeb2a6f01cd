import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRestStage } from "./rest-stage.ts";

const REPRESENTATION = { prefer: "return=representation" };
const OBJECT = "application/vnd.pgrst.object+json";
const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;
const messageOf = (answer: { json: unknown }): string => (answer.json as { message: string }).message;

describe("updates and deletes", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.makers (id int primary key, name text);
     insert into shop.makers values (1, 'Ada'), (2, 'Bob');
     create table shop.items (
       id int primary key, name text default 'none', stock int, maker_id int references shop.makers,
       at timestamptz default '2020-01-01T00:00:00Z', loud text generated always as (upper(name)) stored);
     create table shop.days (day date, placeholder int, note text, primary key (day, placeholder));
     create table shop.keyless (note text);
     create view shop.cheap as select id, name as label, stock from shop.items where stock < 100;
     create view shop.guarded as select id, name, stock from shop.items where stock < 100 with local check option;
     create view shop.summary as select maker_id, count(*) from shop.items group by maker_id;
     create view shop.triggered as select id, upper(name) as shouted from shop.items;
     create function shop.write_triggered() returns trigger language plpgsql as $$
       begin
         if tg_op = 'INSERT' then insert into shop.items (id, name, stock) values (new.id, lower(new.shouted), 1); return new; end if;
         if tg_op = 'UPDATE' then update shop.items set name = lower(new.shouted) where id = old.id; return new; end if;
         delete from shop.items where id = old.id; return old;
       end $$;
     create trigger write_triggered instead of insert or update or delete on shop.triggered
       for each row execute function shop.write_triggered();
     create table shop.stamped (id int primary key, name text, changes int default 0);
     create function shop.stamp() returns trigger language plpgsql as $$ begin new.changes := old.changes + 1; return new; end $$;
     create trigger stamp before update on shop.stamped for each row execute function shop.stamp();
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on all tables in schema shop to service_role`,
    { schemas: ["shop"] },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const rowsOf = async (query: string): Promise<unknown[]> => (await opened.stage.run(query)).rows;
  const fill = async (): Promise<void> => {
    await opened.stage.run(`truncate shop.items; insert into shop.items (id, name, stock, maker_id)
      values (1, 'a', 1, 1), (2, 'b', 2, 1), (3, 'c', 3, 2), (4, 'd', 400, null)`);
  };

  describe("with PATCH", () => {
    it("updates the rows that match the filters: 204 without a body, 200 with one", async () => {
      await fill();
      const quiet = await ask("PATCH /items?stock=lt.3", { body: { name: "x" } });
      assert.deepEqual([quiet.status, quiet.text, quiet.headers["content-range"]], [204, "", "0-1/*"]);
      const shown = await ask("PATCH /items?id=in.(1,2,3)&name=eq.x&select=id,loud,maker:makers(name)&order=id.desc", {
        headers: REPRESENTATION,
        body: { name: "y" },
      });
      assert.equal(shown.status, 200);
      assert.deepEqual(shown.json, [
        { id: 2, loud: "Y", maker: { name: "Ada" } },
        { id: 1, loud: "Y", maker: { name: "Ada" } },
      ]);
      assert.equal(shown.headers["content-range"], "0-1/*");
    });

    it("returns an empty list when no row matches", async () => {
      const answer = await ask("PATCH /items?id=eq.99", { headers: REPRESENTATION, body: { name: "x" } });
      assert.deepEqual([answer.status, answer.json, answer.headers["content-range"]], [200, [], "*/*"]);
      const counted = await ask("PATCH /items?id=eq.99", { headers: { prefer: "count=exact" }, body: { name: "x" } });
      assert.deepEqual([counted.status, counted.headers["content-range"]], [204, "*/0"]);
    });

    it("counts the updated rows", async () => {
      await fill();
      const answer = await ask("PATCH /items?stock=lt.3", { headers: { prefer: "count=exact" }, body: { name: "x" } });
      assert.equal(answer.headers["content-range"], "0-1/2");
    });

    it("changes nothing for an empty object or list", async () => {
      await fill();
      for (const body of [{}, [], [{}]]) {
        const answer = await ask("PATCH /items?id=eq.1", { headers: REPRESENTATION, body });
        if (Array.isArray(body) && body.length === 1)
          assert.deepEqual([answer.status, codeOf(answer)], [400, "PGRST102"]);
        else assert.deepEqual([answer.status, answer.json], [200, []]);
      }
    });

    it("is rejected without a filter", async () => {
      await fill();
      for (const [line, message] of [
        ["PATCH /items", "UPDATE requires a WHERE clause"],
        ["PATCH /items?select=id", "UPDATE requires a WHERE clause"],
        ["DELETE /items", "DELETE requires a WHERE clause"],
        ["DELETE /items?limit=1", "DELETE requires a WHERE clause"],
      ] as const) {
        const answer = await ask(line, { body: { name: "all" } });
        assert.deepEqual([answer.status, codeOf(answer), messageOf(answer)], [400, "21000", message]);
      }
      assert.deepEqual(await rowsOf("select count(*)::int from shop.items where name <> 'all'"), [{ count: 4 }]);
    });

    it("accepts logic trees as filters, and applies filters of embeds only to the returned rows", async () => {
      await fill();
      const answer = await ask("PATCH /items?or=(id.eq.1,id.eq.3)&select=id,makers(name)&makers.name=eq.Ada&order=id", {
        headers: REPRESENTATION,
        body: { stock: 50 },
      });
      assert.deepEqual(answer.json, [
        { id: 1, makers: { name: "Ada" } },
        { id: 3, makers: null },
      ]);
    });

    it("rejects filters by embedded rows, and changes none", async () => {
      await fill();
      const answer = await ask("PATCH /items?makers=not.is.null&select=id,makers()", { body: { stock: 60 } });
      assert.deepEqual([answer.status, codeOf(answer)], [400, "42703"]);
      assert.deepEqual(await rowsOf("select id from shop.items where stock = 60"), []);
    });

    it("sets a missing key to its default with missing=default, otherwise to null", async () => {
      await fill();
      const byDefault = await ask("PATCH /items?id=eq.1&columns=name,stock&select=name,stock", {
        headers: { prefer: "return=representation, missing=default" },
        body: { stock: 9 },
      });
      assert.deepEqual(byDefault.json, [{ name: "none", stock: 9 }]);
      assert.equal(byDefault.headers["preference-applied"], "missing=default, return=representation");
      const byNull = await ask("PATCH /items?id=eq.1&columns=name,stock&select=name,stock", {
        headers: REPRESENTATION,
        body: { stock: 9, id: 77 },
      });
      assert.deepEqual(byNull.json, [{ name: null, stock: 9 }]);
    });

    it("updates exactly one row when one object is requested, otherwise none", async () => {
      await fill();
      const headers = { ...REPRESENTATION, accept: OBJECT };
      const one = await ask("PATCH /items?id=eq.1&select=id,name", { headers, body: { name: "one" } });
      assert.deepEqual([one.status, one.json], [200, { id: 1, name: "one" }]);
      for (const [search, rows] of [
        ["id=gt.1", 3],
        ["id=eq.99", 0],
      ] as const) {
        for (const prefer of ["return=representation", "return=minimal"]) {
          const answer = await ask(`PATCH /items?${search}`, {
            headers: { accept: OBJECT, prefer },
            body: { name: "lost" },
          });
          assert.deepEqual([answer.status, codeOf(answer)], [406, "PGRST116"]);
          assert.equal((answer.json as { details: string }).details, `The result contains ${rows} rows`);
        }
      }
      assert.deepEqual(await rowsOf("select 1 from shop.items where name = 'lost'"), []);
    });

    it("enforces max-affected only when handling is strict", async () => {
      await fill();
      for (const method of ["PATCH", "DELETE"]) {
        const prefer = "handling=strict, max-affected=2, return=representation";
        const answer = await ask(`${method} /items?id=gt.1`, { headers: { prefer }, body: { name: "lost" } });
        assert.deepEqual([answer.status, codeOf(answer)], [400, "PGRST124"]);
        assert.equal((answer.json as { details: string }).details, "The query affects 3 rows");
      }
      assert.deepEqual(await rowsOf("select count(*)::int from shop.items where name <> 'lost'"), [{ count: 4 }]);
      const within = await ask("PATCH /items?id=gt.1", {
        headers: { prefer: "max-affected=3, handling=strict" },
        body: { name: "y" },
      });
      assert.equal(within.status, 204);
      assert.equal(within.headers["preference-applied"], "handling=strict, max-affected=3");
      const lenient = await ask("PATCH /items?id=gt.1", {
        headers: { prefer: "max-affected=1, handling=lenient" },
        body: { name: "z" },
      });
      assert.equal(lenient.status, 204);
      assert.equal(lenient.headers["preference-applied"], "handling=lenient");
    });

    it("returns the rows as changed by triggers", async () => {
      await opened.stage.run("insert into shop.stamped (id, name) values (1, 'a')");
      const answer = await ask("PATCH /stamped?id=eq.1", { headers: REPRESENTATION, body: { name: "b", changes: 90 } });
      assert.deepEqual(answer.json, [{ id: 1, name: "b", changes: 1 }]);
    });

    it("rejects a generated column", async () => {
      const answer = await ask("PATCH /items?id=eq.1", { body: { loud: "X" } });
      assert.deepEqual([answer.status, codeOf(answer)], [400, "428C9"]);
    });

    it("accepts a form and a line of CSV with a key", async () => {
      await fill();
      const form = await ask("PATCH /items?id=eq.1&select=name", {
        headers: { ...REPRESENTATION, "content-type": "application/x-www-form-urlencoded" },
        body: "name=by+form",
      });
      assert.deepEqual(form.json, [{ name: "by form" }]);
      const csv = await ask("PATCH /items?select=id,name&order=id", {
        headers: { ...REPRESENTATION, "content-type": "text/csv" },
        body: "id,name\n1,one\n2,two\n",
      });
      assert.deepEqual(
        [csv.status, csv.json],
        [
          200,
          [
            { id: 1, name: "one" },
            { id: 2, name: "two" },
          ],
        ],
      );
    });
  });

  describe("with PATCH of a list", () => {
    it("updates each row by its key", async () => {
      await fill();
      const answer = await ask("PATCH /items?select=id,name,stock&order=id", {
        headers: REPRESENTATION,
        body: [
          { id: 3, name: "three", stock: null },
          { id: 1, name: "one", stock: 11 },
          { id: 99, name: "nobody", stock: 0 },
        ],
      });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, [
        { id: 1, name: "one", stock: 11 },
        { id: 3, name: "three", stock: null },
      ]);
      assert.equal(answer.headers["content-range"], "0-1/*");
      assert.deepEqual(await rowsOf("select name from shop.items where id = 2"), [{ name: "b" }]);
    });

    it("updates only rows that also match the filters", async () => {
      await fill();
      const answer = await ask("PATCH /items?stock=lt.3&select=id", {
        headers: REPRESENTATION,
        body: [
          { id: 1, name: "one" },
          { id: 3, name: "three" },
        ],
      });
      assert.deepEqual(answer.json, [{ id: 1 }]);
    });

    it("requires the whole key in each row", async () => {
      for (const [table, body, message] of [
        [
          "items",
          [
            { id: 1, name: "x" },
            { id: null, name: "y" },
          ],
          "Row 1 has no 'id'",
        ],
        ["items", [{ name: "x" }], "Row 0 has no 'id'"],
        ["days", [{ day: "2024-01-01", note: "x" }], "Row 0 has no 'placeholder'"],
      ] as const) {
        const answer = await ask(`PATCH /${table}`, { body });
        assert.deepEqual([answer.status, codeOf(answer), messageOf(answer)], [400, "PGRST102", message]);
      }
      const keyless = await ask("PATCH /keyless", { body: [{ note: "x" }] });
      assert.deepEqual([keyless.status, codeOf(keyless)], [400, "PGRST102"]);
    });

    it("rejects two changes to one row, also when only the database can compare the keys", async () => {
      await opened.stage.run("truncate shop.days; insert into shop.days values ('2024-01-05', 1, 'a')");
      const plain = await ask("PATCH /items", {
        body: [
          { id: 1, name: "x" },
          { id: 1, name: "y" },
        ],
      });
      assert.deepEqual([plain.status, codeOf(plain)], [400, "PGRST102"]);
      const answer = await ask("PATCH /days", {
        body: [
          { day: "2024-01-05", placeholder: 1, note: "x" },
          { day: "Jan 5 2024", placeholder: 1, note: "y" },
        ],
      });
      assert.deepEqual([answer.status, codeOf(answer)], [400, "PGRST102"], answer.text);
      assert.match(messageOf(answer), /change the same row/);
      assert.deepEqual(await rowsOf("select note from shop.days"), [{ note: "a" }]);
    });

    it("accepts rows with different keys when columns are given", async () => {
      await fill();
      const rejected = await ask("PATCH /items", {
        body: [
          { id: 1, name: "x" },
          { id: 2, stock: 5 },
        ],
      });
      assert.deepEqual([rejected.status, messageOf(rejected)], [400, "All object keys must match"]);
      const answer = await ask('PATCH /items?columns="id","name","stock"&select=id,name,stock&order=id', {
        headers: { prefer: "return=representation, missing=default" },
        body: [
          { id: 1, stock: 5, extra: 1 },
          { id: 2, name: "two" },
        ],
      });
      assert.deepEqual(answer.json, [
        { id: 1, name: "none", stock: 5 },
        { id: 2, name: "two", stock: null },
      ]);
    });

    it("enforces max-affected", async () => {
      await fill();
      const body = [
        { id: 1, name: "lost" },
        { id: 2, name: "lost" },
      ];
      const answer = await ask("PATCH /items", { headers: { prefer: "handling=strict, max-affected=1" }, body });
      assert.deepEqual([answer.status, codeOf(answer)], [400, "PGRST124"]);
      const single = await ask("PATCH /items", { headers: { accept: OBJECT }, body });
      assert.deepEqual([single.status, codeOf(single)], [406, "PGRST116"]);
      assert.deepEqual(await rowsOf("select 1 from shop.items where name = 'lost'"), []);
    });
  });

  describe("with DELETE", () => {
    it("deletes the rows that match the filters: 204 without a body, 200 with the deleted rows", async () => {
      await fill();
      const quiet = await ask("DELETE /items?id=eq.4", { headers: { "content-type": "application/json" }, body: "" });
      assert.deepEqual([quiet.status, quiet.text, quiet.headers["content-range"]], [204, "", "*/*"]);
      const shown = await ask("DELETE /items?id=lt.3&select=id,makers(name)&order=id", {
        headers: { prefer: "return=representation, count=exact" },
      });
      assert.deepEqual(
        [shown.status, shown.json],
        [
          200,
          [
            { id: 1, makers: { name: "Ada" } },
            { id: 2, makers: { name: "Ada" } },
          ],
        ],
      );
      assert.equal(shown.headers["content-range"], "*/2");
      const none = await ask("DELETE /items?id=eq.99");
      assert.equal(none.status, 204);
    });

    it("deletes exactly one row when one object is requested, otherwise none", async () => {
      await fill();
      const headers = { ...REPRESENTATION, accept: OBJECT };
      const two = await ask("DELETE /items?id=lt.3", { headers });
      assert.deepEqual([two.status, codeOf(two)], [406, "PGRST116"]);
      const one = await ask("DELETE /items?id=eq.1&select=id", { headers });
      assert.deepEqual([one.status, one.json], [200, { id: 1 }]);
      assert.deepEqual(await rowsOf("select count(*)::int from shop.items"), [{ count: 3 }]);
    });

    it("returns 409 when other rows reference the row", async () => {
      await fill();
      const answer = await ask("DELETE /makers?id=eq.1");
      assert.deepEqual([answer.status, codeOf(answer)], [409, "23503"]);
    });
  });

  describe("through a view", () => {
    it("writes through a simple view by its column names, with embeds of the base table", async () => {
      await fill();
      const made = await ask("POST /cheap?select=id,label", {
        headers: REPRESENTATION,
        body: { id: 9, label: "i", stock: 9 },
      });
      assert.deepEqual([made.status, made.json], [201, [{ id: 9, label: "i" }]]);
      const located = await ask("POST /cheap", {
        headers: { prefer: "return=headers-only" },
        body: { id: 10, label: "j" },
      });
      assert.equal(located.headers["location"], "/cheap?id=eq.10");
      const changed = await ask("PATCH /cheap?label=eq.i", { headers: REPRESENTATION, body: { label: "k" } });
      assert.deepEqual(changed.json, [{ id: 9, label: "k", stock: 9 }]);
      const upserted = await ask("POST /cheap?on_conflict=id", {
        headers: { prefer: "resolution=merge-duplicates, return=representation" },
        body: { id: 9, label: "l" },
      });
      assert.deepEqual([upserted.status, upserted.json], [200, [{ id: 9, label: "l", stock: 9 }]]);
      const gone = await ask("DELETE /cheap?id=eq.9", { headers: REPRESENTATION });
      assert.deepEqual(gone.json, [{ id: 9, label: "l", stock: 9 }]);
    });

    it("does not find rows outside of the view, and enforces its check option", async () => {
      await fill();
      const hidden = await ask("PATCH /cheap?id=eq.4", { headers: REPRESENTATION, body: { label: "x" } });
      assert.deepEqual(hidden.json, []);
      const rejected = await ask("PATCH /guarded?id=eq.1", { body: { stock: 500 } });
      assert.deepEqual([rejected.status, codeOf(rejected)], [400, "44000"]);
    });

    it("rejects writes to a view that is not updatable", async () => {
      for (const [line, body] of [
        ["POST /summary", { maker_id: 1 }],
        ["PATCH /summary?maker_id=eq.1", { maker_id: 2 }],
        ["DELETE /summary?maker_id=eq.1", undefined],
      ] as const) {
        const answer = await ask(line, { body });
        assert.deepEqual([answer.status, codeOf(answer)], [400, "55000"], line);
      }
    });

    it("writes through INSTEAD OF triggers", async () => {
      await fill();
      const made = await ask("POST /triggered", { headers: REPRESENTATION, body: { id: 20, shouted: "NEW" } });
      assert.deepEqual([made.status, made.json], [201, [{ id: 20, shouted: "NEW" }]]);
      const changed = await ask("PATCH /triggered?id=eq.20", { headers: REPRESENTATION, body: { shouted: "OLD" } });
      assert.deepEqual(changed.json, [{ id: 20, shouted: "OLD" }]);
      assert.deepEqual(await rowsOf("select name from shop.items where id = 20"), [{ name: "old" }]);
      const gone = await ask("DELETE /triggered?id=eq.20");
      assert.equal(gone.status, 204);
      assert.deepEqual(await rowsOf("select 1 from shop.items where id = 20"), []);
    });
  });
});
