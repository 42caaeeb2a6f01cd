import { type AddressedAgent, type AgentTool, toolPerAgent } from "./agent-tools.ts";

/** `takenNames`: the agent's own tools, which keep their names. */
export function memberTools(
  agents: readonly AddressedAgent[],
  selfId: string,
  takenNames: Iterable<string> = [],
): AgentTool[] {
  return toolPerAgent(agents, selfId, takenNames, {
    prefix: "ask_",
    describe: (who) => `Ask ${who} and get the answer back. Say all that is needed to answer.`,
    inputSchema: {
      type: "object",
      properties: { message: { type: "string", minLength: 1, description: "What the other one is asked." } },
      required: ["message"],
      additionalProperties: false,
    },
  });
}
