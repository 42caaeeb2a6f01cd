import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePolicy } from "../../src/realtime/visibility/rules/parse-policy.ts";
import { evaluateRule, type Rule } from "../../src/realtime/visibility/rules/rule.ts";

const OWNER: Rule = { kind: "owner", column: "user_id" };
const OPAQUE: Rule = { kind: "opaque" };

const CASES: readonly [string, Rule][] = [
  ["true", { kind: "constant", isTrue: true }],
  ["(user_id = ( SELECT auth.uid() AS uid))", OWNER],
  ["(auth.uid() = user_id)", OWNER],
  [
    "(( SELECT private.require_scopes(VARIADIC ARRAY['read'::text, 'share'::text]) AS require_scopes) IS NOT NULL)",
    { kind: "scopes", scopes: ["read", "share"] },
  ],
  ["( SELECT private.require_read_or_run() AS require_read_or_run)", { kind: "scopes", scopes: ["read"] }],
  [
    "(( SELECT private.require_read_or_run() AS require_read_or_run) OR private.is_key_run(run_id, swarm_id))",
    { kind: "any", operands: [{ kind: "scopes", scopes: ["read"] }, OPAQUE] },
  ],
  ["((user_id = auth.uid()) OR private.one(a) = private.other(b))", OPAQUE],
  ['("User ""Id""" = auth.uid())', { kind: "owner", column: 'User "Id"' }],
  [
    "(swarm_id = ANY (ARRAY( SELECT private.my_swarm_ids() AS my_swarm_ids)))",
    { kind: "member", column: "swarm_id", set: "swarms" },
  ],
  ["(swarm_id = ANY (ARRAY( SELECT private.my_other_ids() AS my_other_ids)))", OPAQUE],
  [
    "((a IS NULL) OR (b IS NOT NULL) OR ((v = 'it''s'::text) AND (NOT c)))",
    {
      kind: "any",
      operands: [
        { kind: "null", column: "a", isNull: true },
        { kind: "null", column: "b", isNull: false },
        {
          kind: "all",
          operands: [
            { kind: "text", column: "v", value: "it's", isEqual: true },
            { kind: "flag", column: "c", isSet: false },
          ],
        },
      ],
    },
  ],
  ["((user_id)::text = (auth.jwt() ->> 'sub'::text))", OPAQUE],
  [
    "((user_id = auth.uid()) OR (EXISTS ( SELECT 1\n   FROM public.t\n  WHERE ((t.a = docs.b) OR (t.c = 1)))))",
    { kind: "any", operands: [OWNER, OPAQUE] },
  ],
  // Words inside of quotes, and operands that could belong to something else, are left alone.
  ["(name = ') OR (true'::text)", { kind: "text", column: "name", value: ") OR (true", isEqual: true }],
  ["CASE WHEN a THEN true ELSE (user_id = auth.uid()) OR (b) END", OPAQUE],
  ["(NOT (user_id = auth.uid()))", OPAQUE],
  ["(other.user_id = auth.uid())", OPAQUE],
  ["((user_id = auth.uid()) AND broken", OPAQUE],
];

describe("parsing a policy", () => {
  for (const [text, expected] of CASES) it(text, () => assert.deepEqual(parsePolicy(text), expected));
});

describe("evaluating a rule", () => {
  const rows: Record<string, string | null> = { user_id: "u", v: "x", n: null, f: "f" };
  const read = (column: string): string | null | undefined => rows[column];
  const ask = (text: string, userId: string | null = "u"): boolean | null =>
    evaluateRule(parsePolicy(text), read, { userId, access: null });

  it("a rule shows rows of the principal", () => {
    assert.equal(ask("(user_id = auth.uid())"), true);
    assert.equal(ask("(user_id = auth.uid())", "v"), false);
    assert.equal(ask("(user_id = auth.uid())", null), false);
  });

  it("a missing value never makes a row visible", () => {
    for (const text of [
      "(gone IS NULL)",
      "(gone IS NOT NULL)",
      "(gone <> 'x'::text)",
      "(NOT gone)",
      "gone",
      "(gone = auth.uid())",
    ])
      assert.equal(ask(text, null), false, text);
    assert.equal(ask("(n <> 'x'::text)"), false);
  });

  it("a rule needs the database only when its opaque part decides", () => {
    assert.equal(ask("((user_id = auth.uid()) OR (x > 1))"), true);
    assert.equal(ask("((user_id = auth.uid()) OR (x > 1))", "v"), null);
    assert.equal(ask("((user_id = auth.uid()) AND (x > 1))", "v"), false);
    assert.equal(ask("((user_id = auth.uid()) AND (x > 1))"), null);
  });
});
