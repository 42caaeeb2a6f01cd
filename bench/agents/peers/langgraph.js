import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { ANSWER, INSTRUCTIONS, QUESTION, TOOL_INPUT, TOOL_NAME, TOOL_OUTPUT } from "./script.js";

class ScriptedChatModel extends BaseChatModel {
  #callsTool;

  constructor(callsTool) {
    super({});
    this.#callsTool = callsTool;
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const isCall = this.#callsTool && !messages.some((message) => message.getType() === "tool");
    const message = isCall
      ? new AIMessage({
          content: "",
          tool_calls: [{ id: "call_1", name: TOOL_NAME, args: TOOL_INPUT, type: "tool_call" }],
        })
      : new AIMessage(ANSWER);
    return { generations: [{ text: isCall ? "" : ANSWER, message }] };
  }
}

export function openLanggraph() {
  const thermometer = tool(async () => TOOL_OUTPUT, {
    name: TOOL_NAME,
    description: "Reads a thermometer.",
    schema: z.object({ city: z.string() }),
  });
  const plain = createReactAgent({ llm: new ScriptedChatModel(false), tools: [], prompt: INSTRUCTIONS });
  const withTool = createReactAgent({ llm: new ScriptedChatModel(true), tools: [thermometer], prompt: INSTRUCTIONS });
  const ask = async (graph) => {
    const { messages } = await graph.invoke({ messages: [{ role: "user", content: QUESTION }] });
    return messages.at(-1)?.content;
  };
  return { name: "LangGraph.js", answer: () => ask(plain), callTool: () => ask(withTool) };
}
