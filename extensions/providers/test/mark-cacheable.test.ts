import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { markCacheable } from "../src/mark-cacheable.ts";

const TOOL: LanguageModelV4FunctionTool = { type: "function", name: "look", inputSchema: { type: "object" } };

function user(text: string): LanguageModelV4Prompt[number] {
  return { role: "user", content: [{ type: "text", text }] };
}

function answer(text: string): LanguageModelV4Prompt[number] {
  return { role: "assistant", content: [{ type: "text", text }] };
}

/** The calls of a model, and their results. */
function called(count: number): LanguageModelV4Prompt {
  const ids = Array.from({ length: count }, (_, index) => `c${index}`);
  return [
    {
      role: "assistant",
      content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input: {} })),
    },
    {
      role: "tool",
      content: ids.map((toolCallId) => ({
        type: "tool-result",
        toolCallId,
        toolName: "look",
        output: { type: "text", value: "seen" },
      })),
    },
  ];
}

/** The indexes of the messages that are marked. */
function listMarked({ prompt }: LanguageModelV4CallOptions): number[] {
  return prompt.flatMap(({ providerOptions }, index) => (providerOptions?.["anthropic"] === undefined ? [] : [index]));
}

describe("the marks of a prompt for the cache of the provider", () => {
  const system = { role: "system", content: "You are Ada." } as const;
  const cases: readonly (readonly [string, LanguageModelV4Prompt, readonly number[]])[] = [
    ["a first message", [system, user("a")], [0, 1]],
    ["a second turn: the ends of both", [system, user("a"), answer("b"), user("c")], [0, 1, 3]],
    ["a second turn after tool calls", [system, user("a"), ...called(15), answer("b"), user("c")], [0, 1, 3, 5]],
    ["a second call of a turn", [system, user("a"), ...called(1)], [0, 1, 3]],
    ["a third call of a turn", [system, user("a"), ...called(1), ...called(1)], [0, 1, 3, 5]],
    ["no empty text", [system, user("a"), answer("b"), user(" ")], [0, 1]],
  ];
  for (const [name, prompt, marked] of cases)
    it(name, () => {
      const options = markCacheable({ prompt, tools: [TOOL] });
      assert.deepEqual(listMarked(options), marked);
      assert.equal(options.tools?.[0]?.type === "function" && options.tools[0].providerOptions, undefined);
    });

  it("the tools, where no system prompt follows them", () => {
    const { tools } = markCacheable({ prompt: [user("a")], tools: [TOOL, TOOL] });
    assert.deepEqual(
      tools?.map((tool) => tool.type === "function" && tool.providerOptions !== undefined),
      [false, true],
    );
  });
});
