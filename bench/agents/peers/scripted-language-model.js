import { ANSWER, TOOL_INPUT, TOOL_NAME } from "./script.js";

const USAGE = {
  inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};

/** As the interface of the AI SDK wants a model, which Mastra takes as well. */
export function scriptedLanguageModel(callsTool, specificationVersion = "v4") {
  const isCall = (prompt) => callsTool && !prompt.some(({ role }) => role === "tool");
  const call = { type: "tool-call", toolCallId: "call_1", toolName: TOOL_NAME, input: JSON.stringify(TOOL_INPUT) };
  const finish = (prompt) => ({
    finishReason: isCall(prompt) ? { unified: "tool-calls", raw: "tool_calls" } : { unified: "stop", raw: "stop" },
    usage: USAGE,
  });
  return {
    specificationVersion,
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => ({
      ...finish(prompt),
      warnings: [],
      content: isCall(prompt) ? [call] : [{ type: "text", text: ANSWER }],
    }),
    doStream: async ({ prompt }) => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          if (isCall(prompt)) controller.enqueue(call);
          else {
            controller.enqueue({ type: "text-start", id: "0" });
            controller.enqueue({ type: "text-delta", id: "0", delta: ANSWER });
            controller.enqueue({ type: "text-end", id: "0" });
          }
          controller.enqueue({ type: "finish", ...finish(prompt) });
          controller.close();
        },
      }),
    }),
  };
}
