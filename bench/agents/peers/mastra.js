import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { INSTRUCTIONS, QUESTION, TOOL_NAME, TOOL_OUTPUT } from "./script.js";
import { scriptedLanguageModel } from "./scripted-language-model.js";

export function openMastra() {
  const thermometer = createTool({
    id: TOOL_NAME,
    description: "Reads a thermometer.",
    inputSchema: z.object({ city: z.string() }),
    execute: async () => TOOL_OUTPUT,
  });
  const plain = new Agent({
    id: "plain",
    name: "Forecaster",
    instructions: INSTRUCTIONS,
    model: scriptedLanguageModel(false, "v3"),
  });
  const withTool = new Agent({
    id: "with-tool",
    name: "Forecaster",
    instructions: INSTRUCTIONS,
    model: scriptedLanguageModel(true, "v3"),
    tools: { [TOOL_NAME]: thermometer },
  });
  return {
    name: "Mastra",
    answer: async () => (await plain.generate(QUESTION)).text,
    callTool: async () => (await withTool.generate(QUESTION)).text,
  };
}
