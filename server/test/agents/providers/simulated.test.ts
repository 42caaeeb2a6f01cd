import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelError } from "../../../src/errors/index.ts";
import type { ModelCall, ModelMessage } from "../../../src/agents/providers/model-port.ts";
import { callOf, callsOf, finishOf, listen, openBench } from "../../support/providers/models.ts";

const tool = (name: string, inputSchema: Record<string, unknown> = { type: "object" }, description = "") => ({
  name,
  description,
  inputSchema,
});
/** Swarm messages, merged as in a context. */
const joined = (...texts: readonly string[]): ModelMessage => ({
  role: "user",
  content: texts.join("\n\n"),
  starts: texts.map((_, index) => texts.slice(0, index).join("\n\n").length + (index === 0 ? 0 : 2)),
});
const say = (content: string, call: Partial<ModelCall> = {}) => {
  const bench = openBench("simulated", null);
  return listen(bench.models, callOf({ messages: [{ role: "user", content }], ...call })).then((heard) => ({
    ...heard,
    ...bench,
  }));
};

describe("the simulated provider", () => {
  it("answers with the question, always alike, and marks the answer as simulated", async () => {
    const heard = await say(`[Alice]: hello ${"x".repeat(300)}`);
    assert.match(
      heard.text,
      /^\[simulated\] Alice wrote: "hello x{194}"\. No model is configured, so Ada can only repeat it\. \(1 message, 0 tools; [0-9a-f]{8}\)$/,
    );
    assert.equal(heard.text, (await say(`[Alice]: hello ${"x".repeat(300)}`)).text);
    assert.notEqual(
      heard.text,
      (await say(`[Alice]: hello ${"x".repeat(300)}`, { agent: { id: "b", name: "Ada" } })).text,
    );
    const usage = finishOf(heard)?.usage;
    assert.ok(usage?.isEstimated && usage.outputTokens > 0 && usage.inputTokens > 0);
  });

  it("repeats the last question of a person, names the agent that spoke before, and counts its context", async () => {
    const own = { role: "assistant", content: "Mine.\n\nMine too.", starts: [0, 7] } as const;
    for (const [messages, expected] of [
      [[joined("What is it?")], 'You asked: "What is it\\?" No model .* \\(1 message, 0 tools;'],
      [
        [joined("[Alice]: hello", "[Bo]: [simulated] Alice wrote")],
        'Alice wrote: "hello"\\. Bo has answered before me\\. .* \\(2 messages,',
      ],
      [
        [joined("[Alice]: hello\n\n[note]: no message")],
        'Alice wrote: "hello \\[note\\]: no message"\\. .* \\(1 message,',
      ],
      [[joined("[Alice]: a", "[Bo]: b"), own, joined("[Cy]: c?")], 'Cy asked: "c\\?" No model .* \\(5 messages,'],
      [
        [joined("[Alice]: a"), own, { role: "user", content: "(It is your turn again.)", starts: [] }],
        'Alice wrote: "a"\\. No model .* \\(3 messages,',
      ],
      [[{ role: "user", content: "(Nothing yet.)", starts: [] }], "Nobody has said anything\\. .* \\(0 messages,"],
    ] as const) {
      const { text } = await say("", { messages });
      assert.match(text, new RegExp(`^\\[simulated\\] ${expected}`));
    }
  });

  it("introduces itself when it is asked to, and refers to the agent before it", async () => {
    const question = "[Grace]: Hello! Who are you two, and what could you do for me?";
    const first = await say("", { messages: [joined(question)], tools: [tool("calculator")] });
    assert.match(first.text, /^\[simulated\] Hello Grace! I am Ada, .* I can use calculator: I call a tool when/);
    assert.equal(first.text, (await say("", { messages: [joined(question)], tools: [tool("calculator")] })).text);
    const second = await say("", { messages: [joined(question, `[Max]: ${first.text}`)] });
    assert.match(second.text, /^\[simulated\] Thank you, Max\. I am Ada; .* I have no tools\./);
  });

  it("applies max_tokens and stop without cutting its mark", async () => {
    for (const [settings, text, reason] of [
      [{ max_tokens: 2 }, "[simulated] You", "length"],
      [{ stop: ["wrote"] }, "[simulated] You ", "stop"],
      [{ stop: ["["], max_tokens: 1 }, "[simulated]", "length"],
    ] as const) {
      const heard = await say("hi", { settings });
      assert.deepEqual([heard.text.trimEnd(), finishOf(heard)?.reason], [text.trimEnd(), reason]);
    }
  });

  it("calls the tools of each directive line in its own step, then answers", async () => {
    const tools = [tool("look"), tool("handoff_to_bo_b")];
    const words = '[Alice]: please\n/tool look {"at":1} /tool look {"at":2}\n/tool nothing {}\n/handoff Bo B.';
    const messages = [joined(words, "[Cy]: [simulated] Alice wrote")];
    const first = await say("", { tools, messages });
    assert.deepEqual(
      callsOf(first).map(({ name, inputText }) => [name, inputText]),
      [
        ["look", '{"at":1}'],
        ["look", '{"at":2}'],
      ],
    );
    assert.equal(finishOf(first)?.reason, "tool_calls");
    messages.push({ role: "assistant", content: "", toolCalls: callsOf(first) });
    messages.push(
      ...callsOf(first).map(({ id }) => ({
        role: "tool" as const,
        toolCallId: id,
        toolName: "look",
        output: "seen",
        isError: false,
      })),
    );
    const second = await say("", { tools, messages });
    assert.deepEqual(
      callsOf(second).map(({ name }) => name),
      ["handoff_to_bo_b"],
    );
    const words2 = await say("", { tools, messages, toolChoice: "none" });
    assert.match(
      words2.text,
      /look returned: seen look returned: seen There is no tool nothing\. \(.*, 2 tool results;/,
    );
  });

  it("calls the tool whose name and description have the words of the message, once", async () => {
    const described = (name: string, description: string, properties = {}) => ({
      name,
      description,
      inputSchema: { type: "object", properties, required: Object.keys(properties) },
    });
    const tools = [
      described("find_order", "Finds an order of the customer."),
      described("refund_order", "Refunds orders of the customer.", {
        number: { type: "string" },
        times: { type: "integer", minimum: 1 },
        reason: { type: "string", enum: ["wish"] },
      }),
      described("handoff_to_order_desk", "Hands the order over to the desk."),
    ];
    const messages: ModelMessage[] = [joined("[Alice]: Please refund my order A-17.")];
    const first = await say("", { tools, messages });
    const calls = callsOf(first).map(({ name, inputText }) => [name, JSON.parse(inputText) as unknown]);
    assert.deepEqual(calls, [["refund_order", { number: "A-17", times: 1, reason: "wish" }]]);
    const [{ id } = { id: "" }] = callsOf(first);
    messages.push({ role: "assistant", content: "", toolCalls: callsOf(first) });
    messages.push({ role: "tool", toolCallId: id, toolName: "refund_order", output: "done", isError: false });
    assert.match(
      (await say("", { tools, messages })).text,
      /^\[simulated\] Alice wrote: .*" refund_order returned: done \(/,
    );
    messages.push(joined("[Alice]: Thank you."));
    assert.match(
      (await say("", { tools, messages })).text,
      /^\[simulated\] Alice wrote: "Thank you\." No model is configured/,
    );
    for (const words of ["Hand the order over to the desk", "My order", "What does the customer find?"])
      assert.deepEqual(callsOf(await say(words, { tools: tools.slice(1) })), [], words);
    assert.deepEqual(callsOf(await say("Refund the order", { tools, toolChoice: "none" })), []);
  });

  it("calls a tool by the words of its description alone, whatever its name is", async () => {
    const tools = [
      tool("crm_get", {}, "Finds a customer by the e-mail address."),
      tool("kb", {}, "Opening hours."),
      tool("x1", {}, "Help"),
    ];
    for (const [words, name] of [
      ["Which customer has the e-mail address ann@example.com?", "crm_get"],
      ["What are your opening hours?", "kb"],
      ["What is the address of the customer?", undefined],
      ["When are you opening?", undefined],
      ["Please help", undefined],
    ] as const)
      assert.equal(callsOf(await say(words, { tools }))[0]?.name, name, words);
  });

  it("calculates what a message writes as arithmetic, and tells the time, without a directive", async () => {
    const tools = [
      tool("current_time", {}, "Tells what time and date it is now."),
      tool(
        "calculator",
        { type: "object", required: ["expression"], properties: { expression: { type: "string" } } },
        "Computes an arithmetic expression.",
      ),
    ];
    for (const [words, calls] of [
      ["What is (3 + 4) * 17?", [["calculator", { expression: "(3 + 4) * 17" }]]],
      ["Compute 12 - 5, please.", [["calculator", { expression: "12 - 5" }]]],
      ["What time is it?", [["current_time", {}]]],
      ["See you on 2026-11-18, or call 030-12345.", []],
      ["What is a swarm?", []],
      ["(".repeat(100_000), []],
    ] as const) {
      const called = callsOf(await say(words, { tools }));
      assert.deepEqual(
        called.map(({ name, inputText }) => [name, JSON.parse(inputText)]),
        calls,
        words.slice(0, 100),
      );
    }
  });

  it("returns valid arguments when it must call a tool", async () => {
    const next = tool("choose", {
      type: "object",
      properties: { next: { type: "string", enum: ["a", "b", "done"] } },
      required: ["next"],
    });
    const choose = async (...texts: readonly string[]) => {
      const call = { messages: [joined(...texts)], tools: [next], toolChoice: { tool: "choose" } };
      return callsOf(await say("", call))[0]?.inputText;
    };
    assert.equal(await choose("[Alice]: hi"), '{"next":"a"}');
    assert.equal(await choose("[Alice]: hi", "[Bo]: [simulated] x"), '{"next":"b"}');
    assert.equal(await choose("[Alice]: hi", "[Bo]: [simulated] x", "[Cy]: [simulated] y"), '{"next":"done"}');
  });

  it("returns a value of limited size for lists in lists", async () => {
    let schema: Record<string, unknown> = { type: "string", minLength: 1_000 };
    for (let level = 0; level < 12; level += 1) schema = { type: "array", minItems: 100, items: schema };
    const { text } = await say("list", { settings: { response_schema: schema } });
    assert.ok(text.startsWith("[[[") && text.length > 60_000 && text.length < 80_000, String(text.length));
  });

  it("fails and sleeps on request, for all agents or for one", async () => {
    for (const [words, code, attempts] of [
      ["/fail rate_limit", "PROVIDER_RATE_LIMITED", 3],
      ["/fail 5xx", "PROVIDER_OVERLOADED", 3],
      ["/fail timeout", "PROVIDER_TIMEOUT", 1],
      ["/fail refusal", "CONTENT_FILTERED", 1],
      ["/fail 5xx Ada", "PROVIDER_OVERLOADED", 3],
      ["/fail midstream", "PROVIDER_ERROR", 1],
    ] as const) {
      const { error, text } = await say(`[Alice]: ${words}`);
      assert.deepEqual([(error as ModelError).code, (error as ModelError).attempts], [code, attempts]);
      assert.equal(text !== "", words.endsWith("midstream"));
    }
    for (const words of ["/fail 5xx Bo", "/fail what", "talk of /fail 5xx", "/fail"])
      assert.equal((await say(words)).error, null);
    assert.deepEqual((await say("/sleep 500")).slept, [500]);
    const signal = AbortSignal.abort(new Error("enough"));
    assert.match(String((await say("hi", { signal })).error), /enough/);
  });
});
