import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IsState } from "../../src/operators/index.ts";
import type { Predicate } from "../../src/rest/plan/plan.ts";
import {
  ask,
  byOwn,
  column,
  compare,
  computed,
  json,
  type Bind,
  openSqlStage,
  read,
  shop,
  shown,
} from "./sql-stage.ts";

const on = openSqlStage(`
  create table items (
    id bigint primary key, name text, price numeric, tags text[], span int4range, document jsonb, plain json,
    is_open boolean, made_at timestamptz, words tsvector, big bigint);
  insert into items values
    (1, 'apple pie', 1.50, '{red,sweet}', '[1,5)', '{"a":{"b":[10,20]},"k''ey\\\\":"odd","n":5}', '{"b":1}', true, '2026-01-02 03:04:05.120+00', to_tsvector('english','the fat cats'), 9007199254740993),
    (2, 'Banana', 20, '{yellow}', '[5,9)', '{"n":7}', '{"b":2}', false, null, to_tsvector('english','a thin dog'), null),
    (3, null, null, null, null, null, null, null, null, null, null),
    (4, '50%_off\\', -3, '{}', 'empty', '[1,2,3]', '[]', null, null, null, 4);
  create function doubled(items) returns numeric language sql stable as 'select $1.price * 2';
`);

async function idsOf(make: (bind: Bind) => Predicate): Promise<number[]> {
  const rows = await on.stage.body(
    ask((bind) => read("items", { outputs: [shown("id")], where: [make(bind)], order: [byOwn("id")] })),
  );
  return (rows as { id: number }[]).map(({ id }) => id);
}

describe("comparisons", () => {
  const cases: [string, string, string, number[]][] = [
    ["price", "eq", "20", [2]],
    ["price", "neq", "20", [1, 4]],
    ["price", "gt", "1.5", [2]],
    ["price", "gte", "1.5", [1, 2]],
    ["price", "lt", "0", [4]],
    ["price", "lte", "1.5", [1, 4]],
    ["name", "like", "%an%", [2]],
    ["name", "ilike", "%AN%", [2]],
    ["name", "match", "^[a-z]", [1]],
    ["name", "imatch", "^b", [2]],
    ["price", "isdistinct", "20", [1, 3, 4]],
    ["tags", "cs", "{sweet}", [1]],
    ["tags", "cd", "{yellow,blue}", [2, 4]],
    ["tags", "ov", "{red,yellow}", [1, 2]],
    ["document", "cs", '{"n":7}', [2]],
    ["span", "sl", "[5,9)", [1]],
    ["span", "sr", "[1,5)", [2]],
    ["span", "nxr", "[1,5)", [1]],
    ["span", "nxl", "[5,6)", [2]],
    ["span", "adj", "[9,12)", [2]],
    ["span", "cs", "[2,3)", [1]],
  ];
  for (const [name, operator, operand, ids] of cases) {
    it(`${name} ${operator} ${operand}`, async () => {
      assert.deepEqual(await idsOf((bind) => compare(name, operator as "eq", bind(operand))), ids);
    });
  }

  it("are negated, and unknown stays unknown", async () => {
    assert.deepEqual(await idsOf((bind) => compare("price", "eq", bind("20"), { isNegated: true })), [1, 4]);
  });

  it("support any and all of a list", async () => {
    const any = await idsOf((bind) => compare("name", "like", bind("{%pie,B%}"), { quantifier: "any" }));
    const all = await idsOf((bind) => compare("name", "like", bind("{%a%,%p%}"), { quantifier: "all" }));
    const equal = await idsOf((bind) => compare("id", "eq", bind("{1,4}"), { quantifier: "any" }));
    assert.deepEqual([any, all, equal], [[1, 2], [1], [1, 4]]);
  });

  it("find members of a list, and none in an empty one", async () => {
    const inList = (right: number, isNegated = false): Predicate => compare("id", "in", right, { isNegated });
    assert.deepEqual(await idsOf((bind) => inList(bind("{2,3,99}"))), [2, 3]);
    assert.deepEqual(await idsOf((bind) => inList(bind("{2,3,99}"), true)), [1, 4]);
    assert.deepEqual(await idsOf((bind) => inList(bind("{}"))), []);
  });

  it("support the five states of is", async () => {
    const is = (left: string, state: IsState, isNegated = false): Predicate => ({
      kind: "is",
      left: column(left),
      isNegated,
      state,
    });
    assert.deepEqual(await idsOf(() => is("name", "null")), [3]);
    assert.deepEqual(await idsOf(() => is("name", "not_null")), [1, 2, 4]);
    assert.deepEqual(await idsOf(() => is("is_open", "true")), [1]);
    assert.deepEqual(await idsOf(() => is("is_open", "false", true)), [1, 3, 4]);
    assert.deepEqual(await idsOf(() => is("is_open", "unknown")), [3, 4]);
  });

  it("search text, with and without a configuration, in vectors and plain text", async () => {
    const search = (parts: Partial<Predicate & { kind: "search" }>, right: number): Predicate => ({
      kind: "search",
      left: column("words"),
      operator: "fts",
      isNegated: false,
      config: null,
      isVector: true,
      ...parts,
      right,
    });
    assert.deepEqual(await idsOf((bind) => search({ config: bind("english") }, bind("cat & fat"))), [1]);
    assert.deepEqual(await idsOf((bind) => search({ operator: "plfts" }, bind("thin dogs"))), [2]);
    assert.deepEqual(await idsOf((bind) => search({ operator: "phfts" }, bind("fat cat"))), [1]);
    assert.deepEqual(await idsOf((bind) => search({ operator: "wfts", isNegated: true }, bind("cat"))), [2]);
    const plain = { left: column("name"), isVector: false };
    assert.deepEqual(await idsOf((bind) => search({ ...plain, config: bind("simple") }, bind("pie"))), [1]);
    assert.deepEqual(await idsOf((bind) => search(plain, bind("banana"))), [2]);
  });

  it("combine by and, or and not, with parentheses", async () => {
    const logic = (operator: "and" | "or", isNegated: boolean, ...operands: Predicate[]): Predicate => ({
      kind: "logic",
      operator,
      isNegated,
      operands,
    });
    const ids = await idsOf((bind) =>
      logic(
        "or",
        false,
        logic("and", false, compare("id", "eq", bind("1")), compare("price", "gt", bind("1"))),
        logic("and", true, compare("id", "lt", bind("4")), logic("or", false)),
      ),
    );
    assert.deepEqual(ids, [1, 2, 3, 4]);
    assert.deepEqual(await idsOf(() => logic("or", false)), []);
  });
});

describe("expressions", () => {
  const first = (bind: Bind): Predicate => compare("id", "eq", bind("1"));

  it("follow paths into JSON and into other types", async () => {
    const outputs = [
      shown("last", json("document", "a", "b", -1)),
      shown("text", json("document", "a", ">b")),
      shown("odd", json("document", ">k'ey\\")),
      shown("tag", { ...json("tags", 1), isJson: false }),
      shown("cast", { ...json("document", ">n"), cast: "INTEGER" }),
    ];
    assert.deepEqual(await on.stage.body(ask((bind) => read("items", { outputs, where: [first(bind)] }))), [
      { last: 20, text: "[10, 20]", odd: "odd", tag: "sweet", cast: 5 },
    ]);
  });

  it("compare JSON by value and by text", async () => {
    assert.deepEqual(await idsOf((bind) => compare(json("document", "n"), "gt", bind("5"))), [2]);
    assert.deepEqual(await idsOf((bind) => compare(json("document", ">n"), "eq", bind("5"))), [1]);
  });

  it("select computed fields and casts, and order by them", async () => {
    const type = on.stage.columns("items", "price")[0]?.type;
    assert.ok(type);
    const doubled = computed({ kind: "computed", function: shop("doubled"), type });
    const outputs = [shown("id"), shown("twice", doubled), shown("as_text", column("price", { cast: "text" }))];
    const rows = await on.stage.body(ask(() => read("items", { outputs, order: [byOwn(doubled, "desc", "last")] })));
    assert.deepEqual(rows, [
      { id: 2, twice: 40, as_text: "20" },
      { id: 1, twice: 3, as_text: "1.50" },
      { id: 4, twice: -6, as_text: "-3" },
      { id: 3, twice: null, as_text: null },
    ]);
  });

  it("keep numbers and times as the database renders them", async () => {
    const outputs = [shown("big"), shown("price"), shown("made_at")];
    const { body } = await on.stage.main(ask((bind) => read("items", { outputs, where: [first(bind)] })));
    assert.equal(body, '[{"big":9007199254740993,"price":1.50,"made_at":"2026-01-02T03:04:05.12+00:00"}]');
  });

  it("leave the name of an unknown column to the database", async () => {
    const asked = ask(() => read("items", { outputs: [shown("nothing")] }));
    await assert.rejects(on.stage.main(asked), { code: "42703", message: "column items.nothing does not exist" });
  });
});

describe("windows and counts", () => {
  it("order, limit and skip", async () => {
    const asked = ask((bind) =>
      read("items", {
        outputs: [shown("id")],
        order: [byOwn("name", "desc", "last")],
        limit: bind("2"),
        offset: bind("1"),
      }),
    );
    const ids = ((await on.stage.body(asked)) as { id: number }[]).map(({ id }) => id);
    assert.equal(ids.length, 2);
    assert.ok(!ids.includes(3));
  });

  it("count all rows without the window", async () => {
    const asked = ask((bind) =>
      read("items", { where: [compare("id", "gt", bind("1"))], limit: bind("1") }, { count: "exact" }),
    );
    const { rows, total, isCut } = await on.stage.main(asked);
    assert.deepEqual({ rows, total, isCut }, { rows: "1", total: "3", isCut: false });
  });

  it("count without a window, and without a body", async () => {
    const { body, rows, total } = await on.stage.main(
      ask(() => read("items", {}, { count: "exact", body: { kind: "none" } })),
    );
    assert.deepEqual({ body, rows, total }, { body: null, rows: "4", total: "4" });
  });

  const cut = (offsetText: string | null, count: "estimated" | "capped" = "estimated") =>
    ask((bind) => {
      const offset = offsetText === null ? null : bind(offsetText);
      return read("items", { isCapped: true, offset }, { isCapped: true, count });
    });

  it("report whether the cap cut off rows", async () => {
    const countsOf = async (maxRows: number, offset: string | null) => {
      const { rows, total, isCut } = await on.stage.main(cut(offset), {}, { maxRows });
      return [rows, total, isCut];
    };
    assert.deepEqual(await countsOf(2, null), ["2", "3", true]);
    assert.deepEqual(await countsOf(4, null), ["4", "4", false]);
    assert.deepEqual(await countsOf(2, "2"), ["2", "3", false]);
    assert.deepEqual(await countsOf(2, "1"), ["2", "3", true]);
    assert.deepEqual(await countsOf(9, null), ["4", "4", false]);
  });

  it("stop a capped count one row after its cap", async () => {
    const totals = [2, 3, 4, 5].map(async (countCap) => {
      const { total } = await on.stage.main(cut(null, "capped"), {}, { countCap });
      return total;
    });
    assert.deepEqual(await Promise.all(totals), ["3", "4", "4", "4"]);
  });

  it("ask the planner for an estimate", async () => {
    const [result] = await on.stage.fly(cut(null), "estimate", {});
    const [{ Plan: plan }] = JSON.parse(result?.rows[0]?.[0] ?? "");
    assert.equal(plan["Plan Rows"], 4);
  });
});

describe("bodies", () => {
  it("are the first row, or nothing", async () => {
    const object = { body: { kind: "object", hasNulls: true } } as const;
    const outputs = [shown("id"), shown("name")];
    assert.deepEqual(await on.stage.body(ask(() => read("items", { outputs, order: [byOwn("id")] }, object))), {
      id: 1,
      name: "apple pie",
    });
    const none = ask((bind) => read("items", { outputs, where: [compare("id", "eq", bind("77"))] }, object));
    const { body, rows } = await on.stage.main(none);
    assert.deepEqual({ body, rows }, { body: null, rows: "0" });
  });

  it("omit nulls on request", async () => {
    const outputs = [shown("id"), shown("name")];
    const where = (bind: Bind) => [compare("id", "eq", bind("3"))];
    const array = ask((bind) =>
      read("items", { outputs, where: where(bind) }, { body: { kind: "array", hasNulls: false } }),
    );
    const object = ask((bind) =>
      read("items", { outputs, where: where(bind) }, { body: { kind: "object", hasNulls: false } }),
    );
    assert.deepEqual([await on.stage.body(array), await on.stage.body(object)], [[{ id: 3 }], { id: 3 }]);
  });

  it("are an empty list without rows", async () => {
    const { body } = await on.stage.main(ask((bind) => read("items", { where: [compare("id", "eq", bind("0"))] })));
    assert.equal(body, "[]");
  });

  it("are empty objects when nothing is selected", async () => {
    assert.deepEqual(await on.stage.body(ask(() => read("items", { outputs: [] }))), [{}, {}, {}, {}]);
  });

  it("are CSV, quoted where needed and empty for null", async () => {
    const outputs = [shown("id"), shown('a "b"', column("name")), shown("tags")];
    const csv = { body: { kind: "csv" } } as const;
    const { body } = await on.stage.main(ask(() => read("items", { outputs, order: [byOwn("id")] }, csv)));
    assert.equal(body, 'id,"a ""b""",tags\n1,"apple pie","{red,sweet}"\n2,Banana,{yellow}\n3,,\n4,"50%_off\\",{}');
    const empty = ask((bind) => read("items", { where: [compare("id", "eq", bind("0"))] }, csv));
    assert.equal(
      (await on.stage.main(empty)).body,
      "id,name,price,tags,span,document,plain,is_open,made_at,words,big\n",
    );
  });

  it("are GeoJSON only where the database supports it", async () => {
    await assert.rejects(on.stage.main(ask(() => read("items", {}, { body: { kind: "geojson" } }))), { code: "42883" });
  });
});
