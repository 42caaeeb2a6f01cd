import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isOperator, OPERATORS, type Operator, REALTIME_OPERATORS } from "../../src/operators/index.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { Listener } from "../realtime/feed-stage.ts";
import { openBothFilters, type Row, type Term } from "./both-filters.ts";

const TYPES = `n int, d numeric, f float8, t text, b boolean, u uuid, at timestamptz, e public.tone, c char(3), iv interval,
  p public.positive, v varchar(3), j json, a int[], r int4range, x public.pair`;
const SCHEMA = `
  create type public.tone as enum ('low', 'high');
  create domain public.positive as int check (value > 0);
  create type public.pair as (one int, two int);
  create collation public.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table public.filtered (id int primary key, ${TYPES});
  create table public.folded (id int primary key, l text collate public.loose);
  alter publication swarmbase add table public.filtered, public.folded`;

/** Rows 1 to 4 of the explicit cases. */
const ROWS: readonly Row[] = [
  { n: "1", t: "Foo", b: "true", j: '{"k":1}', a: "{1,2}", r: "[1,5)", p: "1", x: "(1,2)" },
  { n: "2", t: "fee bar", b: "false", j: '{"k": 1}', a: "{2,3}", r: "[5,9)", p: "2", x: "(,)" },
  { n: "10", t: "f*", b: null, j: "[]", a: "{}", r: "[20,30)", p: "3" },
  {},
];

/** At least one case for every operator: column, operand, and the ids that match. */
const CASES: Readonly<Record<Operator, readonly (readonly [string, string | readonly string[], readonly number[]])[]>> =
  {
    eq: [
      ["n", "2", [2]],
      ["t", "f*", [3]],
      ["j", '{"k":1}', [1, 2]],
      ["x", "(1,2)", [1]],
      ["p", "-1", []],
      ["v", "long", []],
    ],
    neq: [["n", "2", [1, 3]]],
    gt: [["n", "2", [3]]],
    gte: [["n", "2", [2, 3]]],
    lt: [
      ["n", "10", [1, 2]],
      ["p", "0", []],
    ],
    lte: [["n", "2", [1, 2]]],
    like: [
      ["t", "F*", [1]],
      ["t", "f*", [2, 3]],
      ["t", "f\\*", []],
      ["t", "f_e%", [2]],
    ],
    ilike: [
      ["t", "f*", [1, 2, 3]],
      ["t", "*B*", [2]],
    ],
    match: [["t", "^f", [2, 3]]],
    imatch: [["t", "^f.o", [1]]],
    in: [
      ["n", ["1", "10", "7"], [1, 3]],
      ["t", ["Foo", ""], [1]],
      ["n", [], []],
    ],
    is: [
      ["t", "null", [4]],
      ["t", "not_null", [1, 2, 3]],
      ["b", "true", [1]],
      ["b", "false", [2]],
      ["b", "unknown", [3, 4]],
      ["x", "null", [2, 3, 4]],
    ],
    isdistinct: [["n", "2", [1, 3, 4]]],
    fts: [["t", "bar", [2]]],
    plfts: [["t", "bar fee", [2]]],
    phfts: [["t", "fee bar", [2]]],
    wfts: [["t", '"fee bar"', [2]]],
    cs: [["a", "{2}", [1, 2]]],
    cd: [["a", "{1,2}", [1, 3]]],
    ov: [["a", "{3}", [2]]],
    sl: [["r", "[9,10)", [1, 2]]],
    sr: [["r", "[0,1)", [1, 2, 3]]],
    nxr: [["r", "[1,9)", [1, 2]]],
    nxl: [["r", "[5,6)", [2, 3]]],
    adj: [["r", "[5,6)", [1]]],
  };

describe("operators of filters", () => {
  const opened = openBothFilters(SCHEMA);

  it("select the same rows in REST and in realtime; realtime rejects those it does not offer", async () => {
    const { both } = opened;
    const cases = Object.keys(CASES)
      .filter(isOperator)
      .flatMap((operator) =>
        CASES[operator].map(([column, operand, ids]) => ({ term: toTerm(operator, column, operand), ids })),
      );
    const listeners = await Promise.all(
      cases.map(async ({ term }) => {
        if (isOperator(term.operator) && REALTIME_OPERATORS.includes(term.operator))
          return both.subscribe("filtered", [term]);
        await assert.rejects(both.subscribe("filtered", [term]), { code: "VALIDATION_ERROR" }, term.operator);
        return null;
      }),
    );
    await both.replaceRows("filtered", ROWS);
    for (const [index, { term, ids }] of cases.entries()) {
      const message = JSON.stringify(term);
      assert.deepEqual(await both.read("filtered", [term]), ids, message);
      const listener = listeners[index] ?? null;
      if (listener === null) continue;
      await both.expectInserts(listener, ids, message);
      listener.subscription?.close();
    }
  });

  it("compare texts by a collation in which different texts are equal", async () => {
    const { both } = opened;
    const cases = [
      { term: toTerm("eq", "l", "aB"), ids: [1, 2] },
      { term: toTerm("neq", "l", "Ab"), ids: [3] },
      { term: toTerm("in", "l", ["AB", "C"]), ids: [1, 2, 3] },
    ];
    const listeners = await Promise.all(cases.map(({ term }) => both.subscribe("folded", [term])));
    await both.replaceRows("folded", [{ l: "ab" }, { l: "AB" }, { l: "c" }]);
    for (const [index, { term, ids }] of cases.entries()) {
      assert.deepEqual(await both.read("folded", [term]), ids, term.operator);
      const listener = listeners[index];
      assert.ok(listener);
      await both.expectInserts(listener, ids, term.operator);
    }
  });

  it("are rejected by REST and by realtime for operands that PostgreSQL does not accept", async () => {
    const { both } = opened;
    await both.replaceRows("filtered", ROWS);
    for (const [column, operator, operand] of [
      ["n", "eq", "one"],
      ["e", "eq", "medium"],
      ["n", "like", "1*"],
      ["n", "is", "true"],
      ["t", "is", "unknown"],
      ["t", "match", "("],
      ["t", "imatch", "[z-a]"],
    ] as const) {
      const term = toTerm(operator, column, operand);
      const answer = (await both.read("filtered", [term])) as { code?: string };
      assert.match(answer.code ?? "", /^(22|42)/, JSON.stringify(term));
      await assert.rejects(both.subscribe("filtered", [term]), { code: "VALIDATION_ERROR" }, JSON.stringify(term));
    }
  });

  it("select the same rows in REST and in realtime for any filters and rows", async () => {
    const { both } = opened;
    const rows = fc.array(fc.record(mapValues(VALUES, (values) => fc.constantFrom(...values, null))), {
      minLength: 1,
      maxLength: 12,
    });
    const filters = fc.array(fc.array(randomTerm, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(filters, rows, async (given, inserted) => {
        const listeners = await Promise.all(
          given.map((terms) => both.subscribe("filtered", terms).catch((error: unknown) => error)),
        );
        await both.replaceRows("filtered", inserted);
        for (const [index, terms] of given.entries()) {
          const [answer, listener] = [await both.read("filtered", terms), listeners[index]];
          const message = JSON.stringify([terms, answer]);
          if (!Array.isArray(answer)) {
            // The type of the column does not have the operator.
            assert.match((answer as { code: string }).code, /^42/, message);
            assert.equal((listener as { code?: string }).code, "VALIDATION_ERROR", message);
            continue;
          }
          assert.ok(listener instanceof Listener, `${message} ${String(listener)}`);
          await both.expectInserts(listener, answer as number[], message);
          listener.subscription?.close();
        }
      }),
      { numRuns: propertyRuns(10), endOnFailure: true },
    );
  });
});

/** Includes texts that PostgreSQL and JavaScript lower-case differently, and equal values in different notations. */
const TEXTS = [
  "a",
  "A",
  "ab",
  "a%b",
  "a_b",
  "a*b",
  "a\\b",
  "",
  "x,y",
  'q"z',
  "É",
  "éa",
  "ΑΣ",
  "ας",
  "İ",
  "K",
  "i",
  "k",
];
const VALUES = {
  n: ["1", "2", "10", "-3"],
  d: ["1.50", "1.5", "0", "99999999999999999999.01", "NaN"],
  f: ["1.5", "-0", "0", "NaN", "Infinity"],
  t: TEXTS,
  b: ["true", "false"],
  u: ["0190b2b8-0000-7000-8000-000000000001", "0190B2B8-0000-7000-8000-000000000002"],
  at: [
    "2026-11-15T06:00:00Z",
    "2026-11-15T08:00:00+02:00",
    "2026-11-15 06:00:00.000001+00",
    "infinity",
    "0044-03-15 00:00:00+00 BC",
  ],
  e: ["low", "high"],
  c: ["ab", "a"],
  iv: ["1 day", "24:00:00", "1 month"],
  p: ["1", "2"],
  v: ["a", "abc"],
  j: ['{"k":1}', '{"k": 1.0}', "[]"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const PATTERN_PART = fc.constantFrom(
  "*",
  "%",
  "_",
  "\\%",
  "\\_",
  "\\\\",
  ...TEXTS.filter((text) => !text.includes("\\")),
);
const PATTERN = fc.array(PATTERN_PART, { maxLength: 4 }).map((parts) => parts.join(""));
const REGEX = fc.constantFrom("^a", "b$", "^.$", "[a-i]", "é", "Σ", "a|K");

const randomTerm: fc.Arbitrary<Term> = fc
  .constantFrom(...(Object.keys(VALUES) as (keyof typeof VALUES)[]))
  .chain((column) =>
    fc.constantFrom(...REALTIME_OPERATORS.filter((operator) => isFor(operator, column))).chain((operator) =>
      fc.record({
        column: fc.constant(column),
        operator: fc.constant(operator),
        isNegated: fc.boolean(),
        operands: operandsOf(operator, column),
      }),
    ),
  );

/** Most columns have no patterns; a filter that is rejected tests little. */
function isFor(operator: Operator, column: keyof typeof VALUES): boolean {
  const { operand } = OPERATORS[operator];
  return (operand !== "pattern" && operand !== "regex") || column === "t" || column === "v";
}

function operandsOf(operator: Operator, column: keyof typeof VALUES): fc.Arbitrary<string[]> {
  const value = fc.constantFrom<string>(...VALUES[column]);
  switch (OPERATORS[operator].operand) {
    case "state":
      return fc.tuple(fc.constantFrom("null", "not_null", ...(column === "b" ? ["true", "false", "unknown"] : [])));
    case "pattern":
      return fc.tuple(PATTERN);
    case "regex":
      return fc.tuple(REGEX);
    case "list":
      return fc.array(value, { maxLength: 3 });
    case "value":
    case "search":
      return fc.tuple(value);
  }
}

function toTerm(operator: Operator, column: string, operand: string | readonly string[]): Term {
  return { column, operator, operands: typeof operand === "string" ? [operand] : operand };
}

function mapValues<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  map: (value: From) => To,
): Record<Key, To> {
  return Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, map(value)])) as Record<Key, To>;
}
