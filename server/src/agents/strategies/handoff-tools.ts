import { type AddressedAgent, type AgentTool, toolPerAgent } from "./agent-tools.ts";

/** `takenNames`: the agent's own tools, which keep their names. */
export function handoffTools(
  agents: readonly AddressedAgent[],
  selfId: string,
  takenNames: Iterable<string> = [],
): AgentTool[] {
  return toolPerAgent(agents, selfId, takenNames, {
    prefix: "handoff_to_",
    describe: (who) => `Hand the conversation over to ${who}, who answers next. Your turn ends with this call.`,
    inputSchema: {
      type: "object",
      properties: { reason: { type: "string", description: "Why the other one should go on." } },
      additionalProperties: false,
    },
  });
}
