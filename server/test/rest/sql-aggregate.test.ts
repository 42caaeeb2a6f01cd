import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Aggregate } from "../../src/rest/parse/parsed-request.ts";
import type { Expression, Output, ReadNode } from "../../src/rest/plan/plan.ts";
import { ask, byOwn, column, compare, json, type Bind, openSqlStage, read, shown } from "./sql-stage.ts";

const on = openSqlStage(`
  create table makers (id int primary key, name text, budget int);
  create table items (id int primary key, kind text, maker_id int references makers, price int, plain json);
  insert into makers values (1, 'one', 100), (2, 'two', 200);
  insert into items values
    (1, 'x', 1, 5, '{"a":1}'), (2, 'x', 1, 7, '{"a":1}'), (3, 'y', 2, 9, '{"a": 2}'), (4, 'y', null, null, null);
`);

function aggregate(name: string, fn: Aggregate, value: Expression | null = null, cast: string | null = null): Output {
  return { kind: "aggregate", name, function: fn, value, cast };
}

function items(parts: (bind: Bind) => Partial<ReadNode>): Promise<unknown> {
  return on.stage.body(ask((bind) => read("items", { isAggregated: true, ...parts(bind) })));
}

const kind = shown("kind");

describe("aggregates", () => {
  it("apply to all rows when nothing else is selected", async () => {
    const price = column("price");
    const outputs = [
      aggregate("count", "count"),
      aggregate("priced", "count", price),
      aggregate("sum", "sum", price),
      aggregate("avg", "avg", price, "int"),
      aggregate("max", "max", price, "text"),
      aggregate("min", "min", column("price", { cast: "numeric" })),
    ];
    assert.deepEqual(await items(() => ({ outputs })), [{ count: 4, priced: 3, sum: 21, avg: 7, max: "9", min: 5 }]);
  });

  it("apply to groups, filtered before and ordered and limited after", async () => {
    const rows = await items((bind) => ({
      outputs: [kind, aggregate("sum", "sum", column("price"))],
      where: [compare("id", "gt", bind("1"))],
      order: [{ by: { kind: "output", name: "sum" }, direction: "desc", nulls: null }, byOwn("kind")],
      limit: bind("1"),
    }));
    assert.deepEqual(rows, [{ kind: "y", sum: 9 }]);
  });

  it("count the groups", async () => {
    const { rows, total } = await on.stage.main(
      ask((bind) =>
        read(
          "items",
          { isAggregated: true, outputs: [kind, aggregate("count", "count")], limit: bind("1") },
          { count: "exact" },
        ),
      ),
    );
    assert.deepEqual({ rows, total }, { rows: "1", total: "2" });
  });

  it("group by members of JSON", async () => {
    const [type] = on.stage.columns("items", "plain");
    assert.ok(type);
    const of = { kind: "column", name: "plain", type: type.type } as const;
    const rows = await items(() => ({
      outputs: [
        shown("whole", { ...json("plain"), of }),
        shown("a", { ...json("plain", "a"), of }),
        aggregate("count", "count"),
      ],
      order: [
        { by: { kind: "output", name: "count" }, direction: "desc", nulls: null },
        byOwn({ ...json("plain", "a"), of }),
      ],
    }));
    assert.deepEqual(rows, [
      { whole: { a: 1 }, a: 1, count: 2 },
      { whole: { a: 2 }, a: 2, count: 1 },
      { whole: null, a: null, count: 1 },
    ]);
  });

  it("group by embeds", async () => {
    const embed = on.stage.embed("items", "makers", { outputs: [shown("name")] });
    const rows = await items(() => ({
      outputs: [{ kind: "embed", name: "maker", embed }, aggregate("sum", "sum", column("price"))],
      order: [{ by: { kind: "output", name: "sum" }, direction: "asc", nulls: "last" }],
    }));
    assert.deepEqual(rows, [
      { maker: { name: "two" }, sum: 9 },
      { maker: { name: "one" }, sum: 12 },
      { maker: null, sum: null },
    ]);
  });

  it("work in embeds", async () => {
    const embed = on.stage.embed("makers", "items", { isAggregated: true, outputs: [aggregate("count", "count")] });
    const rows = await on.stage.body(
      ask(() =>
        read("makers", { outputs: [shown("id"), { kind: "embed", name: "items", embed }], order: [byOwn("id")] }),
      ),
    );
    assert.deepEqual(rows, [
      { id: 1, items: [{ count: 2 }] },
      { id: 2, items: [{ count: 1 }] },
    ]);
  });

  it("of a to-one spread apply to the parent rows", async () => {
    const embed = on.stage.embed("items", "makers", {
      isAggregated: true,
      outputs: [shown("maker", column("name")), aggregate("sum", "sum", column("budget")), aggregate("made", "count")],
    });
    const rows = await items(() => ({
      outputs: [kind, { kind: "spread", embed }, aggregate("count", "count")],
      order: [byOwn("kind"), { by: { kind: "output", name: "maker" }, direction: null, nulls: "last" }],
    }));
    assert.deepEqual(rows, [
      { kind: "x", maker: "one", sum: 200, made: 2, count: 2 },
      { kind: "y", maker: "two", sum: 200, made: 1, count: 1 },
      { kind: "y", maker: null, sum: null, made: 0, count: 1 },
    ]);
  });

  it("group by the lists of a to-many spread", async () => {
    const embed = on.stage.embed("makers", "items", {
      outputs: [shown("kinds", column("kind"))],
      order: [byOwn("id")],
    });
    const rows = await on.stage.body(
      ask(() =>
        read("makers", {
          isAggregated: true,
          outputs: [{ kind: "spread", embed }, aggregate("count", "count")],
          order: [{ by: { kind: "output", name: "kinds" }, direction: "desc", nulls: null }],
        }),
      ),
    );
    assert.deepEqual(rows, [
      { kinds: ["x", "x"], count: 1 },
      { kinds: ["y"], count: 1 },
    ]);
  });

  it("cannot be ordered by a column that is not grouped", async () => {
    const asked = items(() => ({ outputs: [aggregate("count", "count")], order: [byOwn("price")] }));
    await assert.rejects(asked, { code: "42803" });
  });
});
