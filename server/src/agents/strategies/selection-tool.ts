import { labelKey, speakerLabel } from "../context/speaker-label.ts";
import type { ModelTool } from "../providers/model-port.ts";
import { type AddressedAgent, introduce } from "./agent-tools.ts";
import type { RunAgent } from "./run-view.ts";

const SELECTION_TOOL_NAME = "choose_next_speaker";
const DONE = "done";

/** Offers every agent except the last speaker, and "done". */
export function selectionTool(agents: readonly AddressedAgent[], lastSpeakerId: string | null): ModelTool {
  const offered = agents.filter((agent) => agent.id !== lastSpeakerId);
  const lines = offered.map((agent) => `${agent.id}: ${introduce(agent)}`);
  return {
    name: SELECTION_TOOL_NAME,
    description: [`Choose who speaks next, or "${DONE}" when nothing more needs to be said.`, ...lines].join("\n"),
    inputSchema: {
      type: "object",
      properties: { next: { type: "string", enum: [...offered.map((agent) => agent.id), DONE] } },
      required: ["next"],
      additionalProperties: false,
    },
  };
}

/** An agent id or "done". Small models answer with a name, plain text or another key: accepted when it means exactly one agent. */
export function readSelection(
  inputText: string,
  agents: readonly { readonly id: string; readonly name: string }[],
): string | null {
  const choice = choiceIn(inputText);
  if (choice === null) return null;
  const key = labelKey(choice.trim());
  if (key === DONE) return DONE;
  const byId = agents.find((agent) => agent.id.toLowerCase() === key);
  if (byId) return byId.id;
  const named = agents.filter((agent) => labelKey(speakerLabel(agent.name, "agent")) === key);
  return named.length === 1 ? (named[0]?.id ?? null) : null;
}

/** The agent after the last speaker by position, else the first agent; "done" when there is no agent. */
export function fallbackSelection(agents: readonly RunAgent[], lastSpeakerId: string | null): string {
  const ordered = agents.toSorted((one, other) => one.position - other.position);
  const last = ordered.findIndex((agent) => agent.id === lastSpeakerId);
  return ordered[(last + 1) % Math.max(1, ordered.length)]?.id ?? DONE;
}

function choiceIn(inputText: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(inputText);
  } catch {
    return inputText;
  }
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return null;
  if ("next" in value && typeof value.next === "string") return value.next;
  const values: unknown[] = Object.values(value);
  return values.length === 1 && typeof values[0] === "string" ? values[0] : null;
}
