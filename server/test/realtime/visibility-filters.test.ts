import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { compileLike } from "../../src/realtime/visibility/match-like.ts";
import { parseFilter } from "../../src/realtime/visibility/parse-filter.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { bind, callerOf, openFeedStage } from "./feed-stage.ts";

describe("reading a filter", () => {
  const term = (column: string, operator: string, values: readonly string[], isNegated = false) => ({
    column,
    isNegated,
    operator,
    values,
  });
  for (const [text, expected] of [
    ["", []],
    ["id=eq.5", [term("id", "eq", ["5"])]],
    ["id=not.eq.5", [term("id", "eq", ["5"], true)]],
    ["a=eq.1.5,b=neq.x y", [term("a", "eq", ["1.5"]), term("b", "neq", ["x y"])]],
    ['a=eq."x,\\"y\\\\",b=is.NULL', [term("a", "eq", ['x,"y\\']), term("b", "is", ["NULL"])]],
    ['a=in.(1,"b,)",c d)', [term("a", "in", ["1", "b,)", "c d"])]],
    ["a=not.in.(),b=like.%x_", [term("a", "in", [], true), term("b", "like", ["%x_"])]],
    ["a=eq.", [term("a", "eq", [""])]],
    ["at=gte.2026-01-01T00:00:00+00:00", [term("at", "gte", ["2026-01-01T00:00:00+00:00"])]],
  ] as const)
    it(text, () => assert.deepEqual(parseFilter(text), expected));

  for (const text of [
    "a",
    "=eq.1",
    "a=eq",
    "a=foo.1",
    ",",
    "a=eq.1,",
    ",a=eq.1",
    "a=eq.1,,b=eq.2",
    "a=is.maybe",
    "a=in.1",
    "a=in.(1",
    "a=in.(1)x",
    'a=eq."x',
    'a=eq."x"y',
    "or=(a.eq.1,b.eq.2)",
    "a=not.not.eq.1",
  ])
    it(`refuses ${text}`, () => assert.throws(() => parseFilter(text), { code: "VALIDATION_ERROR" }));

  it("never fails in another way", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseFilter(text);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "VALIDATION_ERROR");
        }
      }),
    );
  });
});

describe("patterns", () => {
  it("take no more time than a text is long, times the pattern", () => {
    const before = process.threadCpuUsage();
    assert.equal(compileLike(`${"%a".repeat(90)}%b`, false)?.("a".repeat(100_000)), false);
    assert.ok(process.threadCpuUsage(before).user < 4_000_000);
  });
});

const COLUMNS: Readonly<Record<string, readonly (string | null)[]>> = {
  n: ["1", "2", "10", "-3", null],
  d: ["1.50", "1.5", "0", "99999999999999999999.01", "NaN", null],
  f: ["1.5", "-0", "0", "NaN", "Infinity", null],
  t: ["a", "A", "ab", "a%b", "a_b", "", "x,y", 'q"z', "é", null],
  b: ["true", "false", null],
  u: ["0190b2b8-0000-7000-8000-000000000001", "0190B2B8-0000-7000-8000-000000000002", null],
  at: [
    "2026-11-15T06:00:00Z",
    "2026-11-15T08:00:00+02:00",
    "2026-11-15 06:00:00.000001+00",
    "infinity",
    "0044-03-15 00:00:00+00 BC",
    null,
  ],
  e: ["low", "high", null],
  c: ["ab", "a", null],
  iv: ["1 day", "24:00:00", "1 month", null],
};
const TYPES =
  "n int, d numeric, f float8, t text, b boolean, u uuid, at timestamptz, e public.tone, c char(3), iv interval";
const TEXT_OPERATORS = ["like", "ilike", "match", "imatch"];
const SQL: Readonly<Record<string, string>> = {
  eq: "=",
  neq: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
  isdistinct: "is distinct from",
};

interface RandomTerm {
  readonly column: string;
  readonly operator: string;
  readonly isNegated: boolean;
  readonly values: readonly string[];
}

const randomTerm: fc.Arbitrary<RandomTerm> = fc.constantFrom(...Object.keys(COLUMNS)).chain((column) => {
  const known = (COLUMNS[column] ?? []).filter((value) => value !== null);
  const operators = [
    "eq",
    "neq",
    "lt",
    "lte",
    "gt",
    "gte",
    "in",
    "isdistinct",
    "is",
    ...(column === "t" ? TEXT_OPERATORS : []),
  ];
  return fc.constantFrom(...operators).chain((operator) => {
    const value =
      operator === "is"
        ? fc.constantFrom(...(column === "b" ? ["null", "true", "false", "unknown"] : ["null"]))
        : TEXT_OPERATORS.includes(operator)
          ? fc.constantFrom("a%", "%b", "_", "a\\%b", "%", "A", "^a", "b$")
          : fc.constantFrom(...known);
    return fc.record({
      column: fc.constant(column),
      operator: fc.constant(operator),
      isNegated: fc.boolean(),
      values: fc.array(value, { minLength: operator === "in" ? 0 : 1, maxLength: operator === "in" ? 3 : 1 }),
    });
  });
});

const quote = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;
const toFilter = ({ column, operator, isNegated, values }: RandomTerm): string => {
  const value =
    operator === "in" ? `(${values.map(quote).join(",")})` : operator === "is" ? values[0] : quote(values[0] ?? "");
  return `${column}=${isNegated ? "not." : ""}${operator}.${value}`;
};
const toSql = ({ column, operator, isNegated, values }: RandomTerm): string => {
  const literals = values.map((value) => pg.escapeLiteral(value));
  const condition =
    operator === "in"
      ? values.length === 0
        ? `${column} = any ('{}')`
        : `${column} in (${literals.join(",")})`
      : operator === "is"
        ? `${column} is ${values[0]}`
        : `${column} ${SQL[operator]} ${literals[0]}`;
  return `${isNegated ? "not" : ""} (${condition})`;
};

describe("filters", () => {
  const opened = openFeedStage();

  it("let through what PostgreSQL would", { timeout: 180_000 }, async () => {
    const { stage, node } = opened;
    const { owner } = stage.database;
    await owner.query(`create type public.tone as enum ('low', 'high');
      create table public.filtered (id serial primary key, ${TYPES}); alter publication swarmbase add table public.filtered`);
    const caller = callerOf("service_role");
    const randomRow = fc.record(
      Object.fromEntries(Object.entries(COLUMNS).map(([name, values]) => [name, fc.constantFrom(...values)])),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(randomTerm, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
        fc.array(randomRow, { minLength: 1, maxLength: 12 }),
        async (filters, rows) => {
          const listeners = await Promise.all(
            filters.map((terms) =>
              stage.hear(node, caller, [bind("filtered", { filter: terms.map(toFilter).join(",") })]),
            ),
          );
          const all = await stage.hear(node, caller, [bind("filtered")]);
          await owner.query("delete from public.filtered");
          await owner.query(
            "insert into public.filtered select (r).* from (select json_populate_record(null::public.filtered, x) as r from json_array_elements($1) x) s".replace(
              "(r).*",
              `nextval('public.filtered_id_seq'), ${Object.keys(COLUMNS)
                .map((name) => `(r).${name}`)
                .join(", ")}`,
            ),
            [JSON.stringify(rows)],
          );
          await stage.settle(node);
          const inserted = (told: (typeof all)["told"]) =>
            told.filter(({ type }) => type === "INSERT").map(({ record }) => record?.["id"]);
          await all.until(() => inserted(all.told).length === rows.length);
          for (const [at, terms] of filters.entries()) {
            const condition = terms.map(toSql).join(" and ");
            const { rows: expected } = await owner.query<{ id: number }>(
              `select id from public.filtered where ${condition} order by id`,
            );
            const listener = listeners[at];
            assert.ok(listener);
            await listener.until(() => inserted(listener.told).length >= expected.length);
            assert.deepEqual(
              inserted(listener.told),
              expected.map(({ id }) => id),
              condition,
            );
          }
          for (const listener of [...listeners, all]) listener.subscription?.close();
        },
      ),
      { numRuns: propertyRuns(10), endOnFailure: true },
    );
  });

  it("are held against the old row when it is deleted", async () => {
    const { stage, node } = opened;
    const user = await stage.newUser();
    const [kept, other] = [await stage.newAgent(user), await stage.newAgent(user)];
    const listener = await stage.hear(node, callerOf(user), [
      bind("agents", { event: "DELETE", filter: `id=eq.${kept}` }),
    ]);
    const blind = await stage.hear(node, callerOf(user), [
      bind("agents", { event: "DELETE", filter: "name=not.is.null" }),
    ]);
    await stage.remove(user, "agents", other);
    await stage.remove(user, "agents", kept);
    assert.deepEqual((await listener.next())[0]?.old_record, { id: kept, user_id: user });
    await stage.settle(node);
    // The WAL does not keep the name of a deleted agent.
    assert.deepEqual(blind.told, []);
  });
});
