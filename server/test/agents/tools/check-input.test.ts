import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { checkToolInput, describeTool } from "../../../src/agents/tools/input/check-input.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";
import { assignedTool } from "../../support/assigned-tool.ts";

const schemas = createSchemaCompiler({ maxKept: 10 });
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 }, unit: { enum: ["c", "f"] }, timeout_s: { type: "integer" } },
  required: ["city", "unit"],
  additionalProperties: false,
};

function check(inputText: string, parts: Parameters<typeof assignedTool>[0] = {}) {
  return checkToolInput(schemas, assignedTool({ input_schema: SCHEMA, ...parts }), inputText);
}

function faultOf(inputText: string, parts: Parameters<typeof assignedTool>[0] = {}): string {
  const checked = check(inputText, parts);
  return checked.ok ? "" : `${checked.fault.code} ${checked.fault.message}`;
}

describe("the description for the model", () => {
  it("omits the arguments that the assignment fixes", () => {
    const { inputSchema } = describeTool(
      assignedTool({ input_schema: SCHEMA, configuration: { unit: "c", timeout_ms: 10 } }),
    );
    assert.deepEqual(inputSchema, {
      ...SCHEMA,
      properties: { city: SCHEMA.properties.city, timeout_s: SCHEMA.properties.timeout_s },
      required: ["city"],
    });
  });
});

describe("tool inputs", () => {
  it("are the arguments of the model, checked with the fixed ones", () => {
    const configuration = { unit: "c", unknown: 1, timeout_ms: 10 };
    assert.deepEqual(check('{"city": "Rome"}', { configuration }), { ok: true, input: { city: "Rome" } });
    assert.equal(check('{"city": "Rome"}', { configuration: { unit: "k" } }).ok, false);
    assert.deepEqual(check("", { input_schema: { type: "object" }, configuration: { channel: "x", timeout_ms: 1 } }), {
      ok: true,
      input: {},
    });
  });

  it("are rejected with a reason", () => {
    const cases: [string, RegExp][] = [
      ["{", /INVALID_TOOL_INPUT .*JSON object/],
      ["[1]", /JSON object/],
      ['"x"', /JSON object/],
      ["null", /JSON object/],
      ["{}", /must have required property 'city'/],
      ['{"city": "", "unit": "c"}', /city must NOT have fewer/],
      ['{"city": "a", "unit": "k"}', /unit must be equal to one of.*"c","f"/],
      ['{"city": "a", "unit": "c", "x": 1}', /additional properties: "x"/],
      [`{"city": "${"a".repeat(65_536)}", "unit": "c"}`, /65536 characters/],
      [`{"city": ${"[".repeat(40)}${"]".repeat(40)}}`, /nested deeper/],
      [`{"city": [${"1,".repeat(6_000)}1]}`, /more than 5000 values/],
      ['{"a\\u0000": 1}', /cannot be stored/],
      ['{"city": "a", "unit": "c", "x": [-1e400]}', /number that is too large/],
    ];
    for (const [text, reason] of cases) assert.match(faultOf(text), reason, text.slice(0, 60));
  });

  it("have a property only if they name it", () => {
    const properties = { constructor: { type: "string" } };
    assert.equal(faultOf("{}", { input_schema: { type: "object", properties } }), "");
    assert.match(faultOf("{}", { input_schema: { type: "object", required: ["toString"] } }), /required property/);
    assert.match(faultOf('{"constructor": 1}', { input_schema: { type: "object", properties } }), /must be string/);
  });

  it("contain neither characters that PostgreSQL rejects nor a prototype", () => {
    const schema = { type: "object" };
    assert.deepEqual(check('{"a": "x\\u0000y\\ud800"}', { input_schema: schema }), {
      ok: true,
      input: { a: "xy\u{fffd}" },
    });
    const checked = check('{"__proto__": {"city": 1}}', { input_schema: { type: "object", required: ["city"] } });
    assert.equal(checked.ok, false);
  });
});

describe("hostile schemas", () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? { type: "string" } : { properties: { a: nested(levels - 1) } };
  const doubled = Object.fromEntries(
    Array.from({ length: 8 }, (_, level) => [
      `d${level}`,
      level === 7 ? {} : { anyOf: Array.from({ length: 5 }, () => ({ $ref: `#/$defs/d${level + 1}` })) },
    ]),
  );
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ["exponential references", { $defs: doubled, $ref: "#/$defs/d0" }, /too large/],
    ["recursion", { properties: { child: { $ref: "#" } } }, /refer to itself/],
    [
      "mutual recursion",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
      /itself/,
    ],
    ["recursion as #/", { "": true, properties: { child: { $ref: "#/" } } }, /reference that is not valid/],
    [
      "recursion by a trailing #",
      { $defs: { "a#": {}, a: { properties: { child: { $ref: "#/$defs/a#" } } } }, $ref: "#/$defs/a" },
      /reference that is not valid/,
    ],
    ["remote reference", { properties: { a: { $ref: "https://example.com/schema" } } }, /parts of itself/],
    ["dangling reference", { properties: { a: { $ref: "#/$defs/none" } } }, /does not have/],
    ["another base", { properties: { a: { $id: "https://example.com/", type: "string" } } }, /\$id/],
    ["depth", { properties: { a: nested(40) } }, /nested deeper/],
    ["back-reference", { properties: { a: { pattern: "(a)\\1" } } }, /linear time/],
    ["huge pattern", { properties: { a: { pattern: "(?:abcdefgh){999}" } } }, /too large/],
    ["long pattern", { properties: { a: { pattern: "a".repeat(501) } } }, /500 characters/],
    ["pattern of names", { patternProperties: { "(?=a)": {} } }, /linear time/],
    ["not a schema", { properties: { a: { type: "text" } } }, /not a JSON Schema/],
    ["asynchronous", { $async: true }, /\$async/],
    ["nullable of any type", { properties: { a: { nullable: true } } }, /nullable without type/],
  ];
  it("make only their tool unusable", () => {
    for (const [name, parts, reason] of cases) {
      const fault = faultOf("{}", { input_schema: { type: "object", ...parts } });
      assert.match(fault, /^TOOL_UNUSABLE The tool's input_schema /, name);
      assert.match(fault, reason, name);
    }
  });

  it("are compiled for the first value, not when rows store them: one request can have dozens of them", (t) => {
    const compile = t.mock.method(Ajv2020.prototype, "compile");
    const schemas = createSchemaCompiler({ maxKept: 50 });
    const compiled = Array.from({ length: 40 }, (_, number) => schemas.compile({ minimum: number }));
    assert.equal(compile.mock.callCount(), 0);
    const faults = compiled.slice(0, 2).map((each) => each.ok && [each.findFault(0.5), each.findFault(7)]);
    assert.deepEqual(faults, [
      [null, null],
      ["the input must be >= 1", null],
    ]);
    assert.equal(compile.mock.callCount(), 2);
  });

  it("cannot block a check by their patterns", () => {
    const input_schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const before = process.threadCpuUsage();
    assert.match(faultOf(JSON.stringify({ a: `${"a".repeat(60_000)}!` }), { input_schema }), /must match pattern/);
    assert.ok(process.threadCpuUsage(before).user < 2_000_000);
  });

  it("do not include ordinary schemas of other drafts", () => {
    const draft = "https://json-schema.org/draft/2020-12/schema";
    for (const $schema of [draft, "http://json-schema.org/draft-07/schema#"]) {
      const input_schema = {
        $schema,
        type: "object",
        $defs: { at: { type: "string", format: "date-time" } },
        properties: { from: { $ref: "#/$defs/at" }, to: { $ref: "#/$defs/at" }, pattern: { type: "string" } },
      };
      assert.equal(faultOf('{"from": "2026-01-01T00:00:00Z", "pattern": "("}', { input_schema }), "");
      assert.match(faultOf('{"from": "yesterday"}', { input_schema }), /from must match format/);
    }
  });
});
