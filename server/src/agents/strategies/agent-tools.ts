import { isRecord, readJson } from "../../json/index.ts";
import { speakerLabel } from "../context/speaker-label.ts";
import type { ModelTool } from "../providers/model-port.ts";
import { agentToolName, takeToolName } from "../providers/tool-names.ts";

interface AddressedAgent {
  readonly id: string;
  readonly name: string;
  readonly role?: string | null;
}

const FORMS = {
  handoff: {
    prefix: "handoff_to_",
    text: "reason",
    maxChars: 2_000,
    describe: (who: string) => `Hand the conversation over to ${who}, who answers next. Your turn ends with this call.`,
    inputSchema: {
      type: "object",
      properties: {
        reason: { type: "string", description: "Why the other one should go on, and what is known so far." },
      },
      required: ["reason"],
      additionalProperties: false,
    },
  },
  member: {
    prefix: "ask_",
    text: "message",
    maxChars: 20_000,
    describe: (who: string) => `Ask ${who} and get the answer back. Say all that is needed to answer.`,
    inputSchema: {
      type: "object",
      properties: { message: { type: "string", minLength: 1, description: "What the other one is asked." } },
      required: ["message"],
      additionalProperties: false,
    },
  },
};

/** One tool for each agent. `takenNames`: the agent's own tools, which keep their names. */
export function agentTools<Agent extends AddressedAgent>(
  kind: keyof typeof FORMS,
  agents: readonly Agent[],
  takenNames: Iterable<string> = [],
): { readonly tool: ModelTool; readonly agent: Agent }[] {
  const { prefix, describe, inputSchema } = FORMS[kind];
  const taken = new Set(takenNames);
  return agents.map((agent) => ({
    agent,
    tool: {
      name: takeToolName(agentToolName(prefix, agent.name), taken),
      description: describe(describeAgent(agent)),
      inputSchema,
    },
  }));
}

/** The reason or the question of a call of such a tool; empty when it has none. */
export function readAgentInput(kind: keyof typeof FORMS, inputText: string): string {
  const { text: name, maxChars } = FORMS[kind];
  const read = readJson(inputText);
  const text = read.fault === null && isRecord(read.value) ? read.value[name] : null;
  return typeof text === "string" ? text.trim().slice(0, maxChars).toWellFormed() : "";
}

/** Names and roles are user input: one line of limited length. */
export function describeAgent(agent: AddressedAgent): string {
  const name = `"${speakerLabel(agent.name, "agent")}"`;
  const role = speakerLabel(agent.role ?? "", "");
  return role === "" ? name : `${name} (${role})`;
}
