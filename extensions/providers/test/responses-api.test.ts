import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "swarmbase/extension";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { callOf, callsOf, finishOf, KEY, listen, openBench } from "../../../server/test/support/providers/models.ts";
import { ENCRYPTED_REASONING, responsesWire } from "../../../server/test/support/providers/responses-wire.ts";
import { openWireServer, say, type WireServer } from "../../../server/test/support/providers/wire-server.ts";

const LOOK = { name: "look", description: "Looks", inputSchema: { type: "object", properties: {} } };
const REASONING = { PROVIDER_A_MODELS: "gpt-5.6" };

let server: WireServer;
before(async () => {
  server = await openWireServer();
});
after(() => server.close());

describe("OpenAI's Responses API", () => {
  it("gets the request of a model that reasons, and is asked to store nothing", async () => {
    const { models } = openBench("openai-responses", server.url, REASONING);
    server.answer(say(responsesWire({ texts: ["fine"] })));
    const settings = { reasoning_effort: "high", max_tokens: 2000, temperature: 0.2 };
    const heard = await listen(models, callOf({ tools: [LOOK], toolChoice: { tool: "look" }, settings }));
    const warned = heard.events.flatMap((event) => (event.type === "warning" ? [event.warning.setting] : []));
    assert.deepEqual([heard.text, heard.error, warned], ["fine", null, ["temperature"]]);
    const { url, headers, body } = server.asked[0] ?? {};
    assert.deepEqual([url, headers?.authorization], ["/responses", `Bearer ${KEY}`]);
    assert.deepEqual(body, {
      model: "gpt-5.6",
      input: [
        { role: "developer", content: "You are Ada." },
        { role: "user", content: [{ type: "input_text", text: "[Alice]: hello" }] },
      ],
      max_output_tokens: 2000,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "high" },
      tools: [{ type: "function", name: "look", description: "Looks", parameters: LOOK.inputSchema, strict: false }],
      tool_choice: { type: "function", name: "look" },
      stream: true,
    });
  });

  it("gets encrypted reasoning back with the calls that followed it, and no other kind does", async () => {
    const { models } = openBench("openai-responses", server.url, REASONING);
    const calls = [
      { id: "call_1", name: "look", input: { at: "sky" } },
      { id: "call_2", name: "look", input: { at: "sea" } },
    ];
    server.answer(say(responsesWire({ calls })));
    const heard = await listen(models, callOf({ tools: [LOOK] }));
    const reasoning = heard.events.flatMap((event) => (event.type === "reasoning" ? [event.delta] : []));
    assert.deepEqual(reasoning, ["I should ", "look."]);
    // A run that waits for an approval stores its calls as JSON.
    const made: ReturnType<typeof callsOf> = JSON.parse(JSON.stringify(callsOf(heard)));
    const messages = [
      ...callOf().messages,
      { role: "assistant" as const, content: "", toolCalls: made },
      ...made.map(({ id }) => ({
        role: "tool" as const,
        toolCallId: id,
        toolName: "look",
        output: `saw ${id}`,
        isError: id === "call_2",
      })),
    ];
    server.answer(say(responsesWire({ texts: ["Blue."] })));
    assert.equal((await listen(models, callOf({ tools: [LOOK], messages }))).text, "Blue.");
    const input = server.asked[0]?.body["input"] as readonly unknown[];
    assert.deepEqual(input.slice(2), [
      {
        type: "reasoning",
        id: "rs_1",
        encrypted_content: ENCRYPTED_REASONING,
        summary: [
          { type: "summary_text", text: "I should " },
          { type: "summary_text", text: "look." },
        ],
      },
      { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":"sky"}' },
      { type: "function_call", call_id: "call_2", name: "look", arguments: '{"at":"sea"}' },
      { type: "function_call_output", call_id: "call_1", output: "saw call_1" },
      { type: "function_call_output", call_id: "call_2", output: '{"error":"saw call_2"}' },
    ]);

    server.answer(say([]));
    await listen(openBench("openai", server.url).models, callOf({ tools: [LOOK], messages }));
    assert.ok(!JSON.stringify(server.asked[0]?.body).includes(ENCRYPTED_REASONING));
  });

  it("counts cached tokens, which the price of the model includes", async () => {
    const { models } = openBench("openai-responses", server.url);
    server.answer(say(responsesWire({ texts: ["fine"] })));
    const usage = finishOf(await listen(models, callOf()))?.usage;
    assert.ok(usage !== undefined);
    assert.deepEqual([usage.inputTokens, usage.cachedInputTokens, usage.outputTokens], [12, 4, 7]);
    const price = models.priceOf("provider_a", "gpt-4.1-mini", usage) ?? 0;
    assert.equal(price.toFixed(9), ((8 * 0.4 + 4 * 0.1 + 7 * 1.6) / 1e6).toFixed(9));
  });

  it("gets the schema of an answer", async () => {
    const { models } = openBench("openai-responses", server.url);
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    server.answer(say(responsesWire({ texts: ['{"city":"Oslo"}'] })));
    await listen(models, callOf({ settings: { response_schema: schema } }));
    const { text, input } = server.asked[0]?.body ?? {};
    assert.deepEqual(text, { format: { type: "json_schema", name: "response", strict: true, schema } });
    assert.doesNotMatch(JSON.stringify(input), /city/);
  });

  it("is asked for summaries of reasoning only when the providers file says so", async (t) => {
    const file = join(await createTemporaryFolder(t, "providers-"), "providers.json");
    for (const [extra, expected] of [
      [{}, undefined],
      [{ reasoning_summaries: true }, { summary: "auto" }],
    ] as const) {
      const entry = { kind: "openai-responses", base_url: server.url, models: [{ id: "gpt-5.6" }], ...extra };
      await writeFile(file, JSON.stringify({ provider_a: entry }));
      const { models } = openBench("openai-responses", null, { PROVIDERS_FILE: file });
      server.answer(say(responsesWire({ texts: ["fine"] })));
      assert.equal((await listen(models, callOf())).text, "fine");
      assert.deepEqual(server.asked[0]?.body["reasoning"], expected);
    }
  });

  it("reports a response that failed with the error of the response", async () => {
    const failed = (code: string) =>
      `data: ${JSON.stringify({ type: "response.failed", sequence_number: 2, response: { error: { code, message: KEY } } })}\n\n`;
    const [created = ""] = responsesWire({});
    for (const [code, expected, attempts] of [
      ["server_error", "PROVIDER_OVERLOADED", 3],
      ["context_length_exceeded", "CONTEXT_LENGTH_EXCEEDED", 1],
      ["insufficient_quota", "PROVIDER_RATE_LIMITED", 1],
    ] as const) {
      const { models } = openBench("openai-responses", server.url);
      server.answer(say([created, failed(code)]));
      const { error } = await listen(models, callOf());
      assert.ok(error instanceof ModelError);
      assert.deepEqual([error.code, error.attempts], [expected, attempts]);
      assert.ok(!error.message.includes(KEY));
    }
  });
});
