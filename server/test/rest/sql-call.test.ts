import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AnswerPlan, BodyForm, CallArguments, CallPlan, ReadNode } from "../../src/rest/plan/plan.ts";
import { ARRAY, ask, byOwn, column, compare, computed, type Bind, nodeOf, openSqlStage, shown } from "./sql-stage.ts";

const on = openSqlStage(`
  create table makers (id int primary key, name text);
  create table items (id int primary key, maker_id int references makers, price int);
  insert into makers values (1, 'one');
  insert into items values (1, 1, 10), (2, 1, 20), (3, null, 30);
  create table calls (n int);
  create function add(a int, b int default 5) returns int language sql immutable as 'select a + b';
  create function greet(name text) returns text language sql stable as 'select ''hi '' || name';
  create function nothing() returns void language sql as 'insert into shop.calls values (1)';
  create function total(variadic numbers int[]) returns int language sql immutable as 'select sum(n)::int from unnest(numbers) n';
  create function echo(json) returns json language sql immutable as 'select $1';
  create function size(bytea) returns int language sql immutable as 'select length($1)';
  create function bytes() returns bytea language sql immutable as $$select '\\x00ff'::bytea$$;
  create function two() returns setof int language sql stable as 'values (2), (1)';
  create function items_above(floor_price int) returns setof items language sql stable as 'select * from shop.items where price > floor_price';
  create function one_item() returns items language sql stable as 'select * from shop.items where id = 1';
  create function pair(out "a b" int, out second text) language sql stable as $$select 1, 'x'$$;
  create function rows_of(out id int, out label text) returns setof record language sql stable as $$values (1,'a'),(2,'b')$$;
  create function counted() returns setof items language plpgsql as $$
    begin insert into shop.calls values (2); return query select * from shop.items; end $$;
  create function some_record() returns record language sql stable as $$select 7 as id, 'x'::text as name$$;
  create function speak() returns int language plpgsql as $$
    begin perform set_config('response.status', '418', true); return 1; end $$;
  create function doubled(items) returns int language sql stable as 'select $1.price * 2';
`);

const VALUE: BodyForm = { kind: "value", hasNulls: true };

function calling(
  name: string,
  given: CallArguments = { kind: "none" },
  node: Partial<ReadNode> | null = null,
  answer: Partial<AnswerPlan> = {},
): CallPlan {
  return {
    kind: "call",
    call: { function: on.stage.function(name), arguments: given, mayWrite: true },
    shown: node === null ? null : nodeOf({ kind: "call" }, node),
    answer: { ...ARRAY, body: VALUE, ...answer },
  };
}

function parametersOf(name: string, ...names: string[]) {
  return on.stage.function(name).parameters.filter((parameter) => names.includes(parameter.name));
}

function named(bind: Bind, name: string, values: Record<string, string>): CallArguments {
  const parameters = parametersOf(name, ...Object.keys(values));
  return {
    kind: "named",
    values: parameters.map((parameter) => ({ parameter, value: bind(values[parameter.name] ?? null) })),
  };
}

function members(bind: Bind, name: string, values: Record<string, unknown>): CallArguments {
  return { kind: "json", text: bind(JSON.stringify(values)), parameters: parametersOf(name, ...Object.keys(values)) };
}

async function bodyOf(make: (bind: Bind) => CallPlan): Promise<string | null> {
  return (await on.stage.main(ask(make))).body;
}

describe("arguments of calls in SQL", () => {
  it("are named, as text or as members of an object", async () => {
    assert.equal(await bodyOf((bind) => calling("add", named(bind, "add", { a: "1", b: "2" }))), "3");
    assert.equal(await bodyOf((bind) => calling("add", members(bind, "add", { a: 1, b: 2 }))), "3");
    assert.equal(await bodyOf((bind) => calling("add", members(bind, "add", { a: 1 }))), "6");
    assert.equal(await bodyOf((bind) => calling("add", members(bind, "add", { a: null }))), "null");
  });

  it("may be variadic", async () => {
    assert.equal(await bodyOf((bind) => calling("total", named(bind, "total", { numbers: "{1,2,3}" }))), "6");
    assert.equal(await bodyOf((bind) => calling("total", members(bind, "total", { numbers: [4, 5] }))), "9");
  });

  it("may be the whole body", async () => {
    const echo = (bind: Bind) => calling("echo", { kind: "body", body: bind('{"b": 1, "a":[null]}'), type: "json" });
    assert.equal(await bodyOf(echo), '{"b": 1, "a":[null]}');
    assert.equal(
      await bodyOf((bind) => calling("size", { kind: "body", body: bind("\\x0001ff"), type: "bytea" })),
      "3",
    );
  });
});

describe("results of calls in SQL", () => {
  it("are scalars, alone or in a list", async () => {
    assert.equal(await bodyOf((bind) => calling("greet", named(bind, "greet", { name: 'y"o' }))), '"hi y\\"o"');
    assert.deepEqual(JSON.parse((await bodyOf(() => calling("two"))) ?? ""), [2, 1]);
    const type = on.stage.function("two").returns.type;
    const scalar = computed({ kind: "scalar", type });
    const cut = await bodyOf((bind) =>
      calling("two", { kind: "none" }, { outputs: [shown("two", scalar)], order: [byOwn(scalar)], limit: bind("1") }),
    );
    assert.equal(cut, "[1]");
  });

  it("are raw text and bytes", async () => {
    const raw = (encoding: "text" | "hex") => ({ body: { kind: "raw", encoding } }) as const;
    assert.equal(
      await bodyOf((bind) => calling("greet", named(bind, "greet", { name: "you" }), null, raw("text"))),
      "hi you",
    );
    assert.equal(
      await bodyOf(() => calling("bytes", { kind: "none" }, null, raw("hex"))),
      Buffer.from([0, 255]).toString(),
    );
  });

  it("are empty for void, and the function runs", async () => {
    const before = await count();
    const { body, rows } = await on.stage.main(
      ask(() => calling("nothing", { kind: "none" }, null, { body: { kind: "none" } })),
    );
    assert.deepEqual({ body, rows, calls: (await count()) - before }, { body: null, rows: "1", calls: 1 });
  });

  it("are rows that can be selected from, filtered, ordered, embedded into and counted", async () => {
    const asked = ask((bind) =>
      calling(
        "items_above",
        named(bind, "items_above", { floor_price: "5" }),
        {
          outputs: [
            shown("id"),
            shown(
              "twice",
              computed({
                kind: "computed",
                function: { schema: "shop", name: "doubled" },
                type: on.stage.function("two").returns.type,
              }),
            ),
            { kind: "embed", name: "maker", embed: on.stage.embed("items", "makers", { outputs: [shown("name")] }) },
          ],
          where: [compare("price", "lt", bind("30"))],
          order: [byOwn("price", "desc")],
          limit: bind("1"),
        },
        { count: "exact" },
      ),
    );
    const { body, rows, total } = await on.stage.main(asked);
    assert.deepEqual(JSON.parse(body ?? ""), [{ id: 2, twice: 40, maker: { name: "one" } }]);
    assert.deepEqual({ rows, total }, { rows: "1", total: "2" });
    assert.equal(
      (
        await on.stage.fly(
          ask((bind) =>
            calling("items_above", named(bind, "items_above", { floor_price: "1" }), {}, { count: "planned" }),
          ),
          "estimate",
          {},
        )
      ).length,
      1,
    );
  });

  it("are one row, of a type or of outputs", async () => {
    assert.deepEqual(await on.stage.body(ask(() => calling("one_item", { kind: "none" }, {}))), {
      id: 1,
      maker_id: 1,
      price: 10,
    });
    assert.deepEqual(await on.stage.body(ask(() => calling("pair", { kind: "none" }, {}))), { "a b": 1, second: "x" });
    assert.deepEqual(await on.stage.body(ask(() => calling("rows_of", { kind: "none" }, {}))), [
      { id: 1, label: "a" },
      { id: 2, label: "b" },
    ]);
    const csv = { body: { kind: "csv" } } as const;
    assert.equal(await bodyOf(() => calling("rows_of", { kind: "none" }, {}, csv)), "id,label\n1,a\n2,b");
  });

  it("may be records with unknown columns", async () => {
    assert.deepEqual(await on.stage.body(ask(() => calling("some_record", { kind: "none" }, {}))), {
      id: 7,
      name: "x",
    });
    const chosen = ask((bind) =>
      calling("some_record", { kind: "none" }, { outputs: [shown("id")], where: [compare("name", "eq", bind("x"))] }),
    );
    assert.deepEqual(await on.stage.body(chosen), { id: 7 });
  });

  it("come from one call, however often they are used", async () => {
    const before = await count();
    const asked = ask((bind) =>
      calling(
        "counted",
        { kind: "none" },
        { isCapped: true, where: [compare(column("id"), "gt", bind("0"))] },
        { isCapped: true, count: "exact" },
      ),
    );
    const { rows, total, isCut } = await on.stage.main(asked, {}, { maxRows: 2 });
    assert.deepEqual(
      { rows, total, isCut, calls: (await count()) - before },
      { rows: "2", total: "3", isCut: true, calls: 1 },
    );
  });

  it("are rolled back when they are not as requested", async () => {
    const before = await count();
    const single = ask(() =>
      calling("counted", { kind: "none" }, {}, { mustBeSingle: true, body: { kind: "object", hasNulls: true } }),
    );
    await assert.rejects(on.stage.main(single), { code: "SB116", detail: "3" });
    const most = ask((bind) => calling("counted", { kind: "none" }, {}, { maxAffected: bind("2") }));
    await assert.rejects(on.stage.main(most), { code: "SB124", detail: "3" });
    assert.equal(await count(), before);
  });

  it("come with the response settings of the function", async () => {
    assert.equal((await on.stage.main(ask(() => calling("speak")))).status, "418");
    assert.equal((await on.stage.main(ask(() => calling("one_item", { kind: "none" }, {})))).status, null);
  });
});

async function count(): Promise<number> {
  const { rows } = await on.stage.database.owner.query("select count(*)::int as n from shop.calls");
  return rows[0].n;
}
