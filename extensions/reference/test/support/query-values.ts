import fc, { type Arbitrary } from "fast-check";
import { ANY_CHARACTER } from "../../../../server/test/support/any-character.ts";

const OPERATORS = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "like",
  "ilike",
  "match",
  "imatch",
  "in",
  "is",
  "isdistinct",
  "fts",
  "plfts",
  "phfts",
  "wfts",
  "cs",
  "cd",
  "ov",
  "sl",
  "sr",
  "nxr",
  "nxl",
  "adj",
];
const CASTS = ["text", "integer", "jsonb", "uuid", "date", "boolean", "numeric", "nothing"];
const AGGREGATES = ["count", "sum", "avg", "min", "max"];
const EMBEDDINGS = [
  "agents",
  "swarms",
  "messages",
  "runs",
  "tools",
  "tool",
  "webhooks",
  "agent_cards",
  "swarm_members",
];
const PREFERENCES = [
  "return=representation",
  "return=minimal",
  "return=headers-only",
  "count=exact",
  "count=planned",
  "count=estimated",
  "resolution=merge-duplicates",
  "resolution=ignore-duplicates",
  "missing=default",
  "handling=strict",
  "handling=lenient",
  "max-affected=1",
  "timezone=Europe/Berlin",
  "timezone=Nowhere",
  "tx=commit",
];

/** Values of the parameters of the query language, most of which are well-formed, by name of the parameter. */
export interface QueryValues {
  of(parameter: string): Arbitrary<string>;
}

export function createQueryValues(columns: readonly string[], ids: readonly string[]): QueryValues {
  const column = fc.constantFrom(...columns, "surely_unknown");
  const field = fc.tuple(column, fc.constantFrom("", "", "", "->a", "->>a", "->0", "->a->>b")).map(join);
  const operand = fc.oneof(
    fc.constantFrom("null", "true", "0", "-1", "1.5", "2026-11-15T12:00:00Z", "2026-11-15", "a*", "%", "[", "(", "\\"),
    fc.constantFrom("(a,b)", "(1,2)", '("a,b")', "()", "{}", "{a,b}", "{1}", '{"a":1}', "[1,2)", "[]", "not_null"),
    fc.constantFrom(...ids),
    fc.constantFrom("9".repeat(30), "1e400", "NaN", "infinity", "294277-01-01", "00000000-0000-0000-0000-000000000000"),
    fc.string({ maxLength: 8, unit: ANY_CHARACTER }),
  );
  const operator = fc
    .tuple(
      fc.constantFrom("", "", "not."),
      fc.constantFrom(...OPERATORS),
      fc.constantFrom("", "", "", "", "(any)", "(all)", "(english)"),
    )
    .map(join);
  const filter = fc.tuple(operator, fc.constant("."), operand).map(join);
  const condition = fc.tuple(field, fc.constant("."), filter).map(join);
  const group = fc.tuple(fc.constantFrom("and", "or", "not.and"), condition, condition).map(([word, ...terms]) => {
    return `${word}(${terms.join(",")})`;
  });
  const logic = fc.array(fc.oneof(condition, group), { minLength: 1, maxLength: 3 }).map((all) => `(${all.join(",")})`);
  const item = fc.oneof(
    fc.constant("*"),
    field,
    fc.tuple(field, fc.constant("::"), fc.constantFrom(...CASTS)).map(join),
    fc.tuple(fc.constant("alias:"), field).map(join),
    fc.tuple(column, fc.constant("."), fc.constantFrom(...AGGREGATES), fc.constant("()")).map(join),
    fc.constant("count()"),
    fc
      .tuple(
        fc.constantFrom("", "...", "alias:"),
        fc.constantFrom(...EMBEDDINGS),
        fc.constantFrom("", "!inner", "!left", "!surely_unknown"),
        fc.constantFrom("(*)", "(id)", "()", "(count())", "(id,swarms(*))"),
      )
      .map(join),
  );
  const term = fc
    .tuple(
      fc.oneof(field, fc.constantFrom("agents(name)", "swarms(id)")),
      fc.constantFrom("", ".asc", ".desc"),
      fc.constantFrom("", ".nullsfirst", ".nullslast"),
    )
    .map(join);
  const named: Readonly<Record<string, Arbitrary<string>>> = {
    select: listOf(item),
    order: listOf(term),
    and: logic,
    or: logic,
    columns: listOf(column),
    on_conflict: listOf(column),
    limit: fc.constantFrom("0", "1", "5", "100000", "9".repeat(20), "-1"),
    offset: fc.constantFrom("0", "1", "5", "100000", "9".repeat(20), "-1"),
    Prefer: listOf(fc.constantFrom(...PREFERENCES)),
  };
  return { of: (parameter) => named[parameter] ?? filter };
}

function listOf(item: Arbitrary<string>): Arbitrary<string> {
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(","));
}

function join(parts: readonly string[]): string {
  return parts.join("");
}
