import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRestStage } from "./rest-stage.ts";

const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;
const SCHEMA = `
  create schema shop;
  create table shop.items (id int primary key, name text, at timestamptz default '2024-06-01T12:00:00Z');
  insert into shop.items (id, name) values (1, 'a'), (2, 'b'), (3, 'c');
  create table shop.late (id int primary key, item_id int references shop.items deferrable initially deferred);
  create function shop.zone() returns text language sql stable as $$ select current_setting('timezone') $$;
  create function shop.make(id int) returns setof shop.items language sql as 'insert into shop.items values (id, ''made'') returning *';
  grant usage on schema shop to anon, authenticated, service_role;
  grant all on all tables in schema shop to service_role;
  grant execute on all functions in schema shop to service_role`;

describe("preferences", () => {
  const opened = openRestStage(SCHEMA, { schemas: ["shop"] });
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);

  it("that are unknown are ignored, unless handling is strict", async () => {
    const prefer = "foo=bar, return=minimal, count=all, wait";
    const lenient = await ask("GET /items", { headers: { prefer } });
    assert.equal(lenient.status, 200);
    const strict = await ask("PATCH /items?id=eq.1", {
      headers: { prefer: `handling=strict, ${prefer}` },
      body: { name: "x" },
    });
    assert.equal(strict.status, 400);
    assert.deepEqual(strict.json, {
      code: "PGRST122",
      message: "Invalid preferences given with handling=strict",
      details: "Invalid preferences: foo=bar, count=all, wait",
      hint: null,
    });
    assert.deepEqual((await ask("GET /items?id=eq.1&select=name")).json, [{ name: "a" }]);
  });

  it("that are repeated apply once: the first counts", async () => {
    const answer = await ask("PATCH /items?id=eq.1", {
      headers: { prefer: "return=representation, return=minimal, count=exact,count=planned" },
      body: { name: "a" },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["preference-applied"], "return=representation, count=exact");
  });

  it("are reported in a fixed order, and only those that were applied", async () => {
    const prefer =
      "max-affected=5, timezone=UTC, handling=strict, tx=commit, count=exact, return=representation, missing=default, resolution=merge-duplicates";
    const applied = async (line: string, body?: unknown): Promise<string | undefined> => {
      const answer = await ask(line, { headers: { prefer }, body });
      assert.ok(answer.status < 300, answer.text);
      return answer.headers["preference-applied"];
    };
    const common = "handling=strict, timezone=UTC";
    assert.equal(await applied("GET /items?limit=1000"), `count=exact, ${common}`);
    assert.equal(
      await applied("POST /items", { id: 1, name: "a" }),
      `resolution=merge-duplicates, missing=default, return=representation, count=exact, ${common}`,
    );
    assert.equal(
      await applied("PATCH /items?id=eq.1", { name: "a" }),
      `missing=default, return=representation, count=exact, ${common}, max-affected=5`,
    );
    assert.equal(
      await applied("DELETE /items?id=eq.99"),
      `return=representation, count=exact, ${common}, max-affected=5`,
    );
    assert.equal(await applied("POST /rpc/make", { id: 98 }), `count=exact, ${common}, max-affected=5`);
    await ask("DELETE /items?id=eq.98");
  });

  it("can set the time zone of the response, by name or offset, for one request only", async () => {
    for (const [zone, at] of [
      ["America/New_York", "2024-06-01T08:00:00-04:00"],
      ["Asia/Kolkata", "2024-06-01T17:30:00+05:30"],
    ] as const) {
      const answer = await ask("GET /items?select=at&id=eq.1", { headers: { prefer: `timezone=${zone}` } });
      assert.deepEqual(answer.json, [{ at }]);
      assert.equal(answer.headers["preference-applied"], `timezone=${zone}`);
    }
    const offset = await ask("GET /items?select=at&id=eq.1", { headers: { prefer: "timezone=+02:00" } });
    assert.equal(offset.status, 200);
    for (let times = 0; times < 3; times += 1) {
      assert.deepEqual((await ask("GET /items?select=at&id=eq.1")).json, [{ at: "2024-06-01T12:00:00+00:00" }]);
      assert.notEqual((await ask("GET /rpc/zone")).json, "America/New_York");
    }
  });

  it("with an unknown time zone are rejected, strict or not, and nothing is written", async () => {
    const zones = [
      "Jupiter/Red_Spot",
      "Jupiter/Red_Spot, handling=strict",
      `${"A".repeat(40)}5`,
      `<${"A".repeat(40)}>-3`,
    ];
    for (const zone of zones) {
      const answer = await ask("POST /items", { headers: { prefer: `timezone=${zone}` }, body: { id: 70 } });
      assert.deepEqual([answer.status, codeOf(answer)], [400, "PGRST129"], answer.text);
    }
    assert.deepEqual((await ask("GET /items?id=eq.70")).json, []);
  });

  it("cannot roll back a transaction unless the server allows it", async () => {
    const answer = await ask("POST /items", { headers: { prefer: "tx=rollback" }, body: { id: 71 } });
    assert.deepEqual([answer.status, answer.headers["preference-applied"]], [201, undefined]);
    assert.equal(((await ask("GET /items?id=eq.71")).json as unknown[]).length, 1);
    await ask("DELETE /items?id=eq.71");
  });

  it("accept only a number for max-affected", async () => {
    const answer = await ask("DELETE /items?id=gt.0", { headers: { prefer: "handling=strict, max-affected=few" } });
    assert.deepEqual([answer.status, codeOf(answer)], [400, "PGRST122"]);
    const zero = await ask("DELETE /items?id=gt.0", { headers: { prefer: "handling=strict, max-affected=0" } });
    assert.deepEqual([zero.status, codeOf(zero)], [400, "PGRST124"]);
  });
});

describe("with Prefer: tx enabled", () => {
  const opened = openRestStage(SCHEMA, { schemas: ["shop"], isTxOverride: true });
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const headers = { prefer: "tx=rollback, return=representation" };

  it("a write returns its full response and is rolled back", async () => {
    const made = await ask("POST /items", { headers, body: { id: 9, name: "x" } });
    assert.deepEqual([made.status, made.json], [201, [{ id: 9, name: "x", at: "2024-06-01T12:00:00+00:00" }]]);
    assert.equal(made.headers["preference-applied"], "return=representation, tx=rollback");
    const changed = await ask("PATCH /items?id=eq.1&select=name", { headers, body: { name: "x" } });
    assert.deepEqual(changed.json, [{ name: "x" }]);
    const gone = await ask("DELETE /items?id=gt.0", { headers });
    assert.equal((gone.json as unknown[]).length, 3);
    const called = await ask("POST /rpc/make", { headers, body: { id: 10 } });
    assert.equal((called.json as unknown[]).length, 1);
    assert.deepEqual((await ask("GET /items?select=id,name&order=id")).json, [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
      { id: 3, name: "c" },
    ]);
  });

  it("deferred constraints are checked", async () => {
    const answer = await ask("POST /late", { headers, body: { id: 1, item_id: 999 } });
    assert.deepEqual([answer.status, codeOf(answer)], [409, "23503"]);
    const kept = await ask("POST /late", { body: { id: 1, item_id: 999 } });
    assert.deepEqual([kept.status, codeOf(kept)], [409, "23503"]);
  });

  it("the next request on the connection is committed", async () => {
    await ask("POST /items", { headers, body: { id: 20, name: "x" } });
    assert.equal(
      (await ask("POST /items", { headers: { prefer: "tx=commit" }, body: { id: 20, name: "y" } })).status,
      201,
    );
    assert.deepEqual((await ask("GET /items?id=eq.20&select=name")).json, [{ name: "y" }]);
  });
});

describe("two exposed schemas", () => {
  const opened = openRestStage(
    `set check_function_bodies = off;
     create schema one; create schema "Two two";
     create table one.things (id int primary key, name text);
     create table "Two two".things (id int primary key, name text, thing_id int references one.things);
     insert into one.things values (1, 'of one');
     insert into "Two two".things values (1, 'of two', 1);
     create table "Two two".alone (id int primary key);
     create function one.who() returns text language sql stable as $$ select 'one' $$;
     create function "Two two".who() returns text language sql stable as $$ select 'two ' || (select name from things) $$;
     create schema hidden; create table hidden.things (id int);
     grant usage on schema one, "Two two" to anon, authenticated, service_role;
     grant all on all tables in schema one, "Two two" to service_role;
     grant execute on all functions in schema one, "Two two" to service_role`,
    { schemas: ["one", "Two two"] },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);

  it("are selected by different headers for reads and writes", async () => {
    const usual = await ask("GET /things");
    assert.deepEqual([usual.json, usual.headers["content-profile"]], [[{ id: 1, name: "of one" }], "one"]);
    const other = await ask("GET /things?select=name", { headers: { "accept-profile": "Two two" } });
    assert.deepEqual([other.json, other.headers["content-profile"]], [[{ name: "of two" }], "Two two"]);
    const written = await ask("POST /alone", {
      headers: { "content-profile": "Two two", prefer: "return=representation" },
      body: { id: 5 },
    });
    assert.deepEqual([written.status, written.json, written.headers["content-profile"]], [201, [{ id: 5 }], "Two two"]);
    const wrongHeader = await ask("POST /alone", { headers: { "accept-profile": "Two two" }, body: { id: 6 } });
    assert.deepEqual([wrongHeader.status, codeOf(wrongHeader)], [404, "PGRST205"]);
    const called = await ask("POST /rpc/who", { headers: { "content-profile": "Two two" }, body: {} });
    assert.equal(called.json, "two of two");
    const got = await ask("GET /rpc/who", { headers: { "accept-profile": "Two two" } });
    assert.equal(got.json, "two of two");
    assert.equal((await ask("GET /rpc/who")).json, "one");
  });

  it("embed only within one schema", async () => {
    const answer = await ask("GET /things?select=name,thing_id", { headers: { "accept-profile": "Two two" } });
    assert.deepEqual(answer.json, [{ name: "of two", thing_id: 1 }]);
  });

  it("are the only ones that can be selected", async () => {
    for (const schema of ["hidden", "nope", "pg_catalog", "", "two two"]) {
      const answer = await ask("GET /things", { headers: { "accept-profile": schema } });
      assert.equal(answer.status, 406);
      assert.deepEqual(answer.json, {
        code: "PGRST106",
        message: `Invalid schema: ${schema}`,
        details: null,
        hint: "Only the following schemas are exposed: one, Two two",
      });
    }
  });
});
