import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError, renderError } from "../../src/errors/index.ts";
import { isOperator, OPERATORS } from "../../src/operators/index.ts";
import type {
  Condition,
  FieldPath,
  NodeModifiers,
  Operation,
  OrderTerm,
  ParsedQuery,
  SelectItem,
} from "../../src/rest/parse/parsed-request.ts";
import { encodePairs, parse } from "./support/parsing.ts";
import { renderQuery } from "./support/rendering.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const text = fc.string({ unit: ANY_CHARACTER, maxLength: 12 }).filter((value) => !value.includes("\0"));
const name = fc
  .oneof(text, fc.constantFrom("and", "or", "not", "count", "inner", "__proto__", "a b", "*", "->"))
  .filter((value) => value !== "" && value !== "not");
const identifier = fc.stringMatching(/^[a-z][a-z0-9_$]{0,5}( [a-z]{1,4})?$/);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });

const field: fc.Arbitrary<FieldPath> = fc.record({
  name,
  path: fc.array(
    fc.record({
      kind: fc.constantFrom("->" as const, "->>" as const),
      key: fc.oneof(text, fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 })),
    }),
    { maxLength: 3 },
  ),
});

const operators = Object.keys(OPERATORS).filter(isOperator);
const quantifiable = operators.filter((operator) => OPERATORS[operator].isQuantifiable);
const search = operators.filter((operator) => OPERATORS[operator].operand === "search");
const simple = operators.filter(
  (operator) => OPERATORS[operator].operand === "value" && !quantifiable.includes(operator),
);
const none = fc.constant(null);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    operator: fc.constantFrom(...quantifiable),
    isNegated: fc.boolean(),
    quantifier: fc.constantFrom("any" as const, "all" as const, null),
    value: text,
    config: none,
  }),
  fc.record({
    operator: fc.constantFrom(...simple),
    isNegated: fc.boolean(),
    quantifier: none,
    value: text,
    config: none,
  }),
  fc.record({
    operator: fc.constantFrom(...search),
    isNegated: fc.boolean(),
    quantifier: none,
    value: text,
    config: orNull(identifier),
  }),
  fc.record({
    operator: fc.constant("in" as const),
    isNegated: fc.boolean(),
    quantifier: none,
    value: fc.array(text, { maxLength: 4 }),
    config: none,
  }),
  fc.record({
    operator: fc.constant("is" as const),
    isNegated: fc.boolean(),
    quantifier: none,
    value: fc.constantFrom("null", "not_null", "true", "false", "unknown"),
    config: none,
  }),
);

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constant("filter" as const), field, operation }),
    fc.record({
      kind: fc.constant("logic" as const),
      operator: fc.constantFrom("and" as const, "or" as const),
      isNegated: fc.boolean(),
      conditions: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

const { item } = fc.letrec<{ item: SelectItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant<SelectItem>({ kind: "star" }),
    fc.record({ kind: fc.constant("count" as const), alias: orNull(name), cast: orNull(identifier) }),
    fc
      .record({
        kind: fc.constant("column" as const),
        field,
        alias: orNull(name),
        cast: orNull(identifier),
        aggregate: orNull(
          fc.constantFrom("sum" as const, "avg" as const, "count" as const, "max" as const, "min" as const),
        ),
        aggregateCast: orNull(identifier),
      })
      .map((column) => ({ ...column, aggregateCast: column.aggregate === null ? null : column.aggregateCast })),
    fc
      .record({
        kind: fc.constant("embed" as const),
        relation: name,
        alias: orNull(name),
        hint: orNull(name),
        join: fc.constantFrom("left" as const, "inner" as const),
        select: fc.array(tie("item"), { maxLength: 3 }),
        isSpread: fc.boolean(),
      })
      .map((embed) => ({ ...embed, alias: embed.isSpread ? null : embed.alias })),
  ),
}));

const orderTerm: fc.Arbitrary<OrderTerm> = fc.record({
  relation: orNull(name),
  field,
  direction: fc.constantFrom("asc" as const, "desc" as const, null),
  nulls: fc.constantFrom("first" as const, "last" as const, null),
});

const modifiers: fc.Arbitrary<NodeModifiers> = fc.record({
  conditions: fc.array(condition, { maxLength: 3 }),
  order: fc.array(orderTerm, { maxLength: 3 }),
  limit: orNull(fc.maxSafeNat()),
  offset: orNull(fc.maxSafeNat()),
});

const query: fc.Arbitrary<ParsedQuery> = fc.record({
  select: fc.array(item, { maxLength: 4 }),
  root: modifiers,
  embeds: fc.uniqueArray(
    fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 3 }),
      modifiers: modifiers.filter(({ conditions, limit }) => conditions.length > 0 || limit !== null),
    }),
    { maxLength: 3, selector: ({ path }) => JSON.stringify(path) },
  ),
  columns: orNull(fc.uniqueArray(name, { minLength: 1, maxLength: 4 })),
  onConflict: orNull(fc.uniqueArray(name, { minLength: 1, maxLength: 4 })),
  args: fc.constant([]),
});

describe("a query that is rendered and parsed", () => {
  it("equals the original", () => {
    fc.assert(
      fc.property(query, (written) => {
        // The clone has the usual prototype, which generated records have only sometimes.
        assert.deepEqual(parse({ search: encodePairs(renderQuery(written)) }).query, structuredClone(written));
      }),
      { numRuns: 1000 },
    );
  });
});

const TOKENS = [
  "()[]{},.:;!*-+%&=?'\"\\<>/ \t\n\0".split(""),
  ["->", "->>", "::", "...", "not.", "and", "or", "eq.", "in.(", "is.null", "fts(a).", "(any)", "select=", "a", "1"],
  ["order=", "limit=", "offset=", "columns=", "on_conflict=", ".or=", "and=(", "count()", "sum()", "é", "😀", "%00"],
  ["%C3%A9", "%ff", "%2", "__proto__", "q=0", "return=", "handling=strict", "0-9", "9-0", "NULL", "\r\n", "\ufeff"],
].flat();
const soup = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join("")),
  fc.string({ unit: ANY_CHARACTER, maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);
const header = fc.option(fc.oneof(soup, fc.array(soup, { maxLength: 3 })), { nil: undefined });
const request = fc.record({
  method: fc.oneof(fc.constantFrom("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"), soup),
  path: fc.oneof(
    fc.constantFrom("", "/", "/t", "/rpc/f"),
    soup,
    soup.map((rest) => `/${rest}`),
  ),
  search: soup,
  headers: fc.record({
    prefer: header,
    accept: header,
    range: header,
    "accept-profile": fc.option(soup, { nil: undefined, freq: 1 }),
    "content-profile": fc.option(soup, { nil: undefined, freq: 1 }),
  }),
  body: fc.oneof(
    fc.constant(null),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    soup.map((body) => Buffer.from(body)),
    fc.json().map((body) => Buffer.from(body)),
  ),
  contentType: fc.oneof(
    fc.constantFrom(null, "application/json", "text/csv", "application/x-www-form-urlencoded", "text/plain"),
    soup,
  ),
});

describe("an arbitrary request", () => {
  it("is accepted, or rejected with a client error", () => {
    fc.assert(
      fc.property(request, (input) => {
        try {
          parse(input);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          assert.ok(error.status >= 400 && error.status < 500);
          if (error.status !== 415) assert.match(error.extra.foreign?.code ?? "", /^PGRST1\d\d$/);
          assert.ok(JSON.parse(renderError(error).body));
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("is answered in time, however long it is", () => {
    const length = 100_000;
    for (const token of [
      ...TOKENS,
      "a.eq.{,",
      '"x,',
      '"\\,',
      "a(",
      "(or",
      "->b",
      "a.",
      "a-",
      "a=in.x&",
      "[",
      '{"a":',
    ]) {
      const long = token.repeat(Math.ceil(length / token.length));
      const encoded = encodeURIComponent(long);
      const inputs = [
        { search: long },
        { path: "/rpc/f", search: long },
        ...["select", "or", "order", "columns", "a", "limit"].map((key) => ({ search: `${key}=${encoded}` })),
        { search: `or=(${encoded}` },
        { search: `a=in.(${encoded}` },
        { search: `${encoded}=eq.1` },
        { headers: { prefer: long, accept: long, range: long } },
        ...["application/json", "text/csv", "application/x-www-form-urlencoded"].map((contentType) => ({
          method: "POST",
          body: Buffer.from(long),
          contentType,
        })),
      ];
      for (const input of inputs) {
        const before = process.threadCpuUsage();
        try {
          parse(input);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
        const tookMs = process.threadCpuUsage(before).user / 1000;
        assert.ok(tookMs < 2000, `${JSON.stringify(token)} took ${tookMs} ms in ${Object.keys(input).join(" ")}`);
      }
    }
  });
});
