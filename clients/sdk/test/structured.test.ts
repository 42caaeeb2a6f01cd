import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SupabaseClient } from "@supabase/supabase-js";
import {
  AnswerSchemaError,
  type Database,
  isFunctionError,
  parsePartialJson,
  respond,
  type RunStream,
  StructuredStream,
} from "@swarmbase/sdk";
import fc from "fast-check";
import { z } from "zod";
import { addSwarm, startTypedService } from "./support/typed-service.ts";

describe("the value of an incomplete JSON text", () => {
  test("has what is complete, and the beginning of a text", () => {
    const cases: readonly (readonly [string, unknown])[] = [
      ["", undefined],
      ["{", {}],
      ['{"ci', {}],
      ['{"city"', {}],
      ['{"city":', {}],
      ['{"city":"De', { city: "De" }],
      ['{"city":"De\\', { city: "De" }],
      ['{"city":"De\\u00', { city: "De" }],
      ['{"city":"Delft","degrees":1', { city: "Delft" }],
      ['{"city":"Delft","degrees":12,', { city: "Delft", degrees: 12 }],
      ['{"days":[{"a":true},{"a":fal', { days: [{ a: true }, {}] }],
      ['```json\n{"a":[1,2', { a: [1] }],
      ["It is warm.", undefined],
    ];
    for (const [text, value] of cases) assert.deepEqual(parsePartialJson(text), value, text);
  });

  test("exists for every prefix of an object, and is whole at the end", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        const length = 1 + (at % text.length);
        assert.notEqual(parsePartialJson(text.slice(0, length)), undefined);
        assert.deepEqual(parsePartialJson(text), JSON.parse(text));
      }),
    );
  });
});

test("text that is no JSON gives no partial value", async () => {
  const turn = { agent_id: null, turn_id: "t", message_id: "m" };
  async function* readEvents() {
    yield { type: "turn.started", data: turn };
    for (const delta of ['{"a": 1, ', '"b": maybe, ']) yield { type: "message.delta", data: { ...turn, delta } };
  }
  const values: unknown[] = [];
  for await (const { data } of new StructuredStream(readEvents() as unknown as RunStream, {})) values.push(data);
  assert.deepEqual(values, [{ a: 1 }]);
});

describe("an answer with a schema", () => {
  const closers: (() => Promise<void>)[] = [];
  let client: SupabaseClient<Database>;
  let swarm_id: string;
  before(async () => {
    const service = await startTypedService(
      { after: (close) => void closers.unshift(close) },
      { SIMULATED_TOKENS_PER_SECOND: "100" },
    );
    client = await service.signIn(service.port);
    swarm_id = await addSwarm(client, "Optimist");
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("is parsed by the schema, after values that grow", async () => {
    const schema = z.object({
      city: z.string().min(40),
      at: z.iso.datetime().transform((text) => new Date(text)),
      days: z.array(z.object({ degrees: z.number(), note: z.string() })).min(2),
    });
    const stream = respond(client, { swarm_id, message: "How warm is it?", schema });
    const cities: string[] = [];
    let whole: z.infer<typeof schema> | null = null;
    for await (const answer of stream) {
      if (answer.isComplete) whole = answer.data;
      else cities.push(answer.data.city ?? "");
    }
    assert.ok(whole?.at instanceof Date);
    assert.ok(cities.length > 0);
    const { city } = whole;
    for (const [index, text] of cities.entries())
      assert.ok(city.startsWith(text) && text.startsWith(cities[index - 1] ?? ""), text);
    const run = await stream.result();
    assert.deepEqual(run.data, whole);
    assert.deepEqual(run.responses[0]?.data, whole);
    const { data: message } = await client
      .from("messages")
      .select("content, data")
      .eq("id", run.responses[0]?.message.id ?? "")
      .single()
      .throwOnError();
    assert.deepEqual(message.data, JSON.parse(message.content ?? ""));
  });

  test("of the agent's settings is in the run and the message", async () => {
    const { data: agents } = await client
      .from("swarm_agents")
      .select("agent_id")
      .eq("swarm_id", swarm_id)
      .throwOnError();
    const settings = { response_schema: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] } };
    const id = agents[0]?.agent_id ?? "";
    await client.from("agents").update({ settings }).eq("id", id).throwOnError();
    const run = await respond(client, { swarm_id, message: "Hello" }).result();
    await client.from("agents").update({ settings: {} }).eq("id", id).throwOnError();
    assert.deepEqual([run.responses[0]?.data, run.responses[0]?.message.data], [{ a: 0 }, { a: 0 }]);
  });

  test("that the service or the schema rejects is an error", async () => {
    const invalid = respond(client, { swarm_id, message: "Hi", schema: { type: "nothing" } }).result();
    await assert.rejects(invalid, (error) => isFunctionError(error) && error.code === "VALIDATION_ERROR");
    // The simulated provider does not know patterns.
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^x$" } }, required: ["a"] };
    const mismatch = respond(client, { swarm_id, message: "Hi", schema }).result();
    await assert.rejects(
      mismatch,
      (error) => error instanceof AnswerSchemaError && /must match pattern/.test(error.message),
    );
    const refined = z.object({ a: z.string().refine(() => false, "is never right") });
    const refused = respond(client, { swarm_id, message: "Hi", schema: refined }).result();
    await assert.rejects(refused, { name: "AnswerSchemaError", message: "is never right" });
  });
});
