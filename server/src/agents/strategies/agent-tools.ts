import { speakerLabel } from "../context/speaker-label.ts";
import type { ModelTool } from "../providers/model-port.ts";
import { uniqueToolName } from "./tool-names.ts";

export interface AgentTool {
  readonly tool: ModelTool;
  readonly agentId: string;
}

export interface AddressedAgent {
  readonly id: string;
  readonly name: string;
  readonly role?: string | null;
}

interface ToolForm {
  readonly prefix: string;
  describe(who: string): string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One tool for each agent but oneself. */
export function toolPerAgent(
  agents: readonly AddressedAgent[],
  selfId: string,
  takenNames: Iterable<string>,
  form: ToolForm,
): AgentTool[] {
  const taken = new Set(takenNames);
  return agents
    .filter((agent) => agent.id !== selfId)
    .map((agent) => ({
      agentId: agent.id,
      tool: {
        name: uniqueToolName(form.prefix, agent.name, taken),
        description: form.describe(introduce(agent)),
        inputSchema: form.inputSchema,
      },
    }));
}

/** Names and roles are their owners' words: one bounded line. */
export function introduce(agent: AddressedAgent): string {
  const name = `"${speakerLabel(agent.name, "agent")}"`;
  const role = speakerLabel(agent.role ?? "", "");
  return role === "" ? name : `${name} (${role})`;
}
