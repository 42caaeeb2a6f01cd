import { Agent, Runner, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { ANSWER, INSTRUCTIONS, QUESTION, TOOL_INPUT, TOOL_NAME, TOOL_OUTPUT } from "./script.js";

const usage = () => new Usage({ requests: 1, inputTokens: 20, outputTokens: 20, totalTokens: 40 });
const answer = () => ({
  usage: usage(),
  output: [
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: ANSWER }] },
  ],
});
const call = () => ({
  usage: usage(),
  output: [
    {
      type: "function_call",
      callId: "call_1",
      name: TOOL_NAME,
      status: "completed",
      arguments: JSON.stringify(TOOL_INPUT),
    },
  ],
});

export function openOpenaiAgents() {
  setTracingDisabled(true);
  const runner = new Runner({ tracingDisabled: true });
  const model = (getResponse) => ({
    getResponse,
    // eslint-disable-next-line require-yield
    getStreamedResponse: async function* () {
      throw new Error("not streamed here");
    },
  });
  const plain = new Agent({ name: "Forecaster", instructions: INSTRUCTIONS, model: model(async () => answer()) });
  const withTool = new Agent({
    name: "Forecaster",
    instructions: INSTRUCTIONS,
    tools: [
      tool({
        name: TOOL_NAME,
        description: "Reads a thermometer.",
        parameters: z.object({ city: z.string() }),
        execute: async () => TOOL_OUTPUT,
      }),
    ],
    model: model(async ({ input }) =>
      typeof input !== "string" && input.some(({ type }) => type === "function_call_result") ? answer() : call(),
    ),
  });
  return {
    name: "@openai/agents",
    answer: async () => (await runner.run(plain, QUESTION)).finalOutput,
    callTool: async () => (await runner.run(withTool, QUESTION)).finalOutput,
  };
}
