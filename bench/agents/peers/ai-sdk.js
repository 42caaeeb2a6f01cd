import { ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { INSTRUCTIONS, QUESTION, TOOL_NAME, TOOL_OUTPUT } from "./script.js";
import { scriptedLanguageModel } from "./scripted-language-model.js";

export function openAiSdk() {
  const plain = new ToolLoopAgent({ instructions: INSTRUCTIONS, model: scriptedLanguageModel(false) });
  const withTool = new ToolLoopAgent({
    instructions: INSTRUCTIONS,
    model: scriptedLanguageModel(true),
    tools: {
      [TOOL_NAME]: tool({
        description: "Reads a thermometer.",
        inputSchema: z.object({ city: z.string() }),
        execute: async () => TOOL_OUTPUT,
      }),
    },
  });
  return {
    name: "AI SDK",
    answer: async () => (await plain.generate({ prompt: QUESTION })).text,
    callTool: async () => (await withTool.generate({ prompt: QUESTION })).text,
  };
}
