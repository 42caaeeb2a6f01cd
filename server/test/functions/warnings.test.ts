import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { AppError } from "../../src/errors/index.ts";
import type { FunctionResponse, FunctionCall } from "../../src/functions/index.ts";
import { FUNCTION_TABLE } from "../../src/functions/index.ts";
import { defineFunction } from "../../src/functions/define-function.ts";
import { parseFunctionBody } from "../../src/functions/parse-function-body.ts";
import { describeUnknownMembers } from "../../src/functions/describe-unknown-members.ts";

const schema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("make"),
    webhook_id: z.string(),
    grace_period_seconds: z.number().optional(),
    items: z.array(z.object({ path: z.string(), headers: z.record(z.string(), z.string()).default({}) })).nullish(),
    free: z.record(z.string(), z.unknown()).optional(),
    auth: z.strictObject({ type: z.string() }).optional(),
  }),
  z.object({ action: z.literal("stop"), run_id: z.string() }),
]);
const MAKE = { action: "make", webhook_id: "w" };

test("unknown members are named with a suggestion", () => {
  const cases: [body: unknown, warnings: string[]][] = [
    [{ ...MAKE }, []],
    [{ ...MAKE, free: { any: { thing: 1 } } }, []],
    [{ ...MAKE, grace_period: 1 }, ["Unknown member `grace_period`; perhaps you meant `grace_period_seconds`."]],
    [{ action: "make", webhookId: "w" }, ["Unknown member `webhookId`; perhaps you meant `webhook_id`."]],
    [{ action: "make", webhok_id: "w" }, ["Unknown member `webhok_id`; perhaps you meant `webhook_id`."]],
    [{ ...MAKE, colour: "red" }, ["Unknown member `colour`."]],
    // A member that was sent already is not suggested.
    [{ ...MAKE, webhookId: "w" }, ["Unknown member `webhookId`."]],
    [
      { ...MAKE, items: [{ path: "/" }, { pth: "/", headers: { "x-any": "1" } }] },
      ["Unknown member `items.1.pth`; perhaps you meant `path`."],
    ],
    // Rejected by the schema itself.
    [{ ...MAKE, auth: { type: "t", more: 1 } }, []],
    [{ action: "stop", run_id: "r", webhook_id: "w" }, ["Unknown member `webhook_id`."]],
    [{ action: "go", webhook_id: "w" }, []],
    [JSON.parse('{"action":"stop","run_id":"r","__proto__":1}'), ["Unknown member `__proto__`."]],
    [[], []],
    [null, []],
    ["text", []],
  ];
  for (const [body, warnings] of cases) assert.deepEqual(describeUnknownMembers(schema, body), warnings);
});

test("many or long unknown members do not make the response large", () => {
  const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${"x".repeat(500)}${at}`, at]));
  const warnings = describeUnknownMembers(schema, { ...MAKE, ...body });
  assert.equal(warnings.length, 21);
  assert.equal(warnings.at(-1), "4980 more members are unknown.");
  assert.ok(warnings.join("").length < 4_000);
});

test("every function names the unknown members of its body", () => {
  for (const { name, body } of FUNCTION_TABLE) {
    const forms = body instanceof z.ZodUnion ? body.options.flatMap(formsOf) : formsOf(body);
    assert.ok(forms.length > 0, name);
    for (const form of forms) {
      assert.ok(form instanceof z.ZodObject, name);
      const known = Object.fromEntries(
        Object.entries(form.shape).flatMap(([member, inner]) =>
          inner instanceof z.ZodLiteral ? [[member, inner.value]] : [],
        ),
      );
      const warnings = describeUnknownMembers(form, { ...known, surely_unknown: 1 });
      assert.deepEqual(warnings, ["Unknown member `surely_unknown`."], name);
    }
  }
});

function formsOf(schema: unknown): unknown[] {
  return schema instanceof z.ZodDiscriminatedUnion ? [...schema.options] : [schema];
}

const BODY = { ...MAKE, colour: "red" };
const WARNINGS = ["Unknown member `colour`."];

async function run(body: unknown, answer: () => FunctionResponse): Promise<FunctionResponse> {
  const call = { body, headers: {}, signal: AbortSignal.timeout(60_000), count: async () => {} };
  const description = { name: "made-up", access: "account", limit: "api", body: schema } as const;
  const { run: runNamed } = defineFunction(description, async (own) => {
    parseFunctionBody(schema, own);
    return answer();
  });
  return runNamed(call as unknown as FunctionCall);
}

test("warnings are part of a response, an error and a stream", async () => {
  const whole = () => ({ status: 200, body: { done: true } });
  assert.deepEqual(await run(MAKE, whole), { status: 200, body: { done: true } });
  assert.deepEqual(await run(BODY, whole), { status: 200, body: { done: true, warnings: WARNINGS } });
  const rejected = await run(BODY, () => {
    throw new AppError("FORBIDDEN", "No", { members: { kept: 1 } });
  }).catch((error: unknown) => error);
  assert.ok(rejected instanceof AppError);
  assert.deepEqual([rejected.code, rejected.extra.members], ["FORBIDDEN", { kept: 1, warnings: WARNINGS }]);
  const invalid = await run({ action: "make", webhookId: "w" }, whole).catch((error: unknown) => error);
  assert.ok(invalid instanceof AppError);
  assert.deepEqual(
    [invalid.extra.details, invalid.extra.members],
    [{ webhook_id: "is required" }, { warnings: ["Unknown member `webhookId`; perhaps you meant `webhook_id`."] }],
  );

  let isClosed = false;
  async function* pieces(): AsyncGenerator<string, void, undefined> {
    try {
      yield "one";
      yield "two";
    } finally {
      isClosed = true;
    }
  }
  const stream = async () => {
    const answer = await run(BODY, () => ({ status: 200, stream: pieces(), headers: {} }));
    assert.ok("stream" in answer);
    return answer.stream;
  };
  const frame = `event: warnings\ndata: ${JSON.stringify({ warnings: WARNINGS })}\n\n`;
  const chunks: string[] = [];
  for await (const piece of await stream()) chunks.push(piece);
  assert.deepEqual(chunks, [`${frame}one`, "two"]);
  isClosed = false;
  for await (const _ of await stream()) break;
  assert.equal(isClosed, true, "a reader who leaves ends what makes the pieces");
});
