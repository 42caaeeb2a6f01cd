import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { checkToolInput } from "../../../src/agents/tools/input/check-input.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";
import { assignedTool } from "../../support/assigned-tool.ts";

/** A validation blocks the event loop. */
const LONGEST_MS = 3_000;

const schemas = createSchemaCompiler({ maxKept: 10 });

function check(parts: Record<string, unknown>, input: unknown): { fault: string; durationMs: number } {
  const before = process.threadCpuUsage();
  const tool = assignedTool({ input_schema: { type: "object", ...parts } });
  const checked = checkToolInput(schemas, tool, JSON.stringify(input));
  return { fault: checked.ok ? "" : checked.fault.message, durationMs: process.threadCpuUsage(before).user / 1000 };
}

const manyLists = Array.from({ length: 4_000 }, (_, at) => [at]);
const repeated = (count: number, schema: object): object[] => Array.from({ length: count }, () => schema);
/** Two to the power of `levels` evaluations for one value. */
const tower = (levels: number): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: levels }, (_, at) => [
      `level${at}`,
      at === levels - 1 ? { type: "null" } : { anyOf: repeated(2, { $ref: `#/$defs/default/level${at + 1}` }) },
    ]),
  );

test("no schema makes the validation of an input slow", () => {
  const cases: [name: string, schema: Record<string, unknown>, input: unknown][] = [
    ["unique items", { properties: { a: { uniqueItems: true } } }, { a: manyLists }],
    ["unique items often", { properties: { a: { allOf: repeated(200, { uniqueItems: true }) } } }, { a: manyLists }],
    [
      "long enumerations behind references",
      {
        $defs: { known: { enum: Array.from({ length: 3_000 }, (_, at) => [`${at}`]) } },
        properties: { a: { items: { anyOf: repeated(100, { $ref: "#/$defs/known" }) } } },
      },
      { a: manyLists },
    ],
    [
      "needs of names behind references",
      {
        $defs: {
          needs: { dependentRequired: Object.fromEntries(manyLists.slice(0, 900).map(([at]) => [`n${at}`, ["a"]])) },
        },
        properties: { a: { items: { allOf: repeated(100, { $ref: "#/$defs/needs" }) } } },
      },
      { a: manyLists.map(() => ({})) },
    ],
    ...["default", "examples", "enum", "const", "uniqueItems"].map((name): (typeof cases)[number] => [
      `a property that is called ${name}`,
      { $defs: { default: tower(26) }, properties: { [name]: { $ref: "#/$defs/default/level0" } } },
      { [name]: 1 },
    ]),
  ];
  for (const [name, schema, input] of cases) {
    const { durationMs } = check(schema, input);
    assert.ok(durationMs < LONGEST_MS, `${name}: ${Math.round(durationMs)} ms`);
  }
});

test("a validation ends after a number of steps, whatever the schema repeats", () => {
  const one = { const: 1 };
  const long = "a".repeat(60_000);
  const zeros = Array(4_900).fill(0);
  const names = Object.fromEntries(zeros.map((zero, at) => [`n${at}`, zero]));
  const cases: [name: string, schema: object, value: unknown][] = [
    ["alternatives", { items: { anyOf: [...repeated(100, one), {}] } }, zeros],
    ["alternatives behind references", { items: { anyOf: [...repeated(100, { $ref: "#/$defs/one" }), {}] } }, zeros],
    ["contains", { contains: { anyOf: repeated(400, one) } }, zeros],
    ["contains of few items", { contains: { $ref: "#/$defs/ones" } }, zeros.slice(0, 2_000)],
    ["lengths", { allOf: repeated(400, { minLength: 1, maxLength: 100_000 }) }, long],
    ["formats", { allOf: repeated(450, { anyOf: [{ format: "email" }, {}] }) }, long],
    ["a pattern", { pattern: "[ab]*a[ab]{900}" }, long],
    ["patterns of items", { items: { allOf: repeated(200, { pattern: "^0" }) } }, zeros.map(String)],
    ["patterns of names", { allOf: repeated(150, { patternProperties: { "^m": {} } }) }, names],
    ["unique items", { allOf: repeated(70, { uniqueItems: true }) }, zeros.map((_zero, at) => at)],
    ["items", { allOf: repeated(250, { items: { minimum: 0 } }) }, zeros],
    ["names", { allOf: repeated(250, { additionalProperties: { minimum: 0 } }) }, names],
  ];
  const $defs = { one, ones: { anyOf: repeated(150, one) } };
  for (const [name, schema, value] of cases) {
    const { fault } = check({ $defs, properties: { a: schema } }, { a: value });
    assert.match(fault, /takes too long to check/, name);
  }
});

test("the matchers of patterns keep no memory after a validation", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const measure = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  // Each character leads to a new state of such a pattern, unless the text repeats itself.
  const text = Array.from({ length: 30_000 }, (_, at) => ((hash("sha256", `${at}`)[0] ?? "") < "8" ? "a" : "b")).join(
    "",
  );
  const validate = (length: number) =>
    check({ properties: { a: { pattern: `[ab]*a[ab]{${length}}[cd]` } } }, { a: text }).fault;
  assert.match(validate(40), /must match pattern/);
  const before = measure();
  for (let length = 41; length < 47; length += 1) assert.match(validate(length), /must match pattern/);
  const growth = measure() - before;
  assert.ok(growth < 16 * 1024 * 1024, `${growth} bytes`);
});

test("an ordinary value of the greatest size is checked", () => {
  const variants = Array.from({ length: 30 }, (_, at) => ({ properties: { kind: { const: at } }, required: ["kind"] }));
  const a = { items: { oneOf: variants, properties: { name: { type: "string", pattern: "^[a-z]+ [0-9]{1,4}$" } } } };
  const rows = Array.from({ length: 1_600 }, (_, at) => ({ kind: at % 30, name: `row ${at}` }));
  assert.equal(check({ properties: { a } }, { a: rows }).fault, "");
  const text = { type: "string", minLength: 1, pattern: "^[^<>]*$" };
  assert.equal(check({ properties: { a: text } }, { a: "a".repeat(65_000) }).fault, "");
});

test("a large ordinary schema compiles quickly", () => {
  const properties = Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`p${at}`, { type: "string" }]));
  const { fault, durationMs } = check({ properties }, { p1: 1 });
  assert.match(fault, /p1 must be string/);
  assert.ok(durationMs < LONGEST_MS, `${Math.round(durationMs)} ms`);
});

test("uniqueItems ignores the order of keys and nothing else", () => {
  const schema = { properties: { a: { type: "array", uniqueItems: true } } };
  assert.match(
    check(schema, {
      a: [
        { x: 1, y: [2] },
        { y: [2], x: 1 },
      ],
    }).fault,
    /duplicate items/,
  );
  assert.equal(check(schema, { a: [1, "1", [1], { 1: 1 }, null, true, "true"] }).fault, "");
  assert.equal(check({ properties: { a: { uniqueItems: false } } }, { a: [1, 1] }).fault, "");
});

test("a property can have the name of a keyword", () => {
  const properties = {
    default: { type: "string" },
    enum: { type: "array", items: { enum: ["a", "b"] } },
    uniqueItems: { type: "boolean", default: false, examples: [{ any: "thing" }] },
    pattern: { type: "string", pattern: "^a" },
  };
  assert.equal(check({ properties }, { default: "x", enum: ["a"], uniqueItems: true, pattern: "ab" }).fault, "");
  assert.match(check({ properties }, { default: 1 }).fault, /default must be string/);
});
