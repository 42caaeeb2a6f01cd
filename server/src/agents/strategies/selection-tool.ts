import { labelKey } from "../context/speaker-label.ts";
import type { ModelTool } from "../providers/model-port.ts";
import { describeAgent } from "./agent-tools.ts";
import type { RunAgent } from "./run-view.ts";

const SELECTION_TOOL_NAME = "choose_next_speaker";
const DONE = "done";
const WORD = /[\p{L}\p{N}]/u;

/** An agent that can speak next, by the name that the conversation shows. */
interface Choice {
  readonly id: string;
  readonly name: string;
  readonly role?: string | null;
}

/** The agents as the conversation names them; none is called "done". */
export function toChoices<Agent extends Choice>(agents: readonly Agent[], labelOf: (agent: Agent) => string): Choice[] {
  return agents.map((agent) => {
    const label = labelOf(agent);
    return { ...agent, name: labelKey(label) === DONE ? `${label} (agent)` : label };
  });
}

/** Offers the names of agents, and "done". */
export function selectionTool(choices: readonly Choice[]): ModelTool {
  const lines = choices.map((choice) => describeAgent(choice));
  return {
    name: SELECTION_TOOL_NAME,
    description: [`Choose who speaks next, or "${DONE}" when nothing more needs to be said.`, ...lines].join("\n"),
    inputSchema: {
      type: "object",
      properties: { next: { type: "string", enum: [...choices.map(({ name }) => name), DONE] } },
      required: ["next"],
      additionalProperties: false,
    },
  };
}

/** An agent id or "done". Small models answer with plain text or another key: accepted when it names exactly one agent. */
export function readSelection(inputText: string, choices: readonly Choice[]): string | null {
  const choice = choiceIn(inputText);
  if (choice === null) return null;
  const key = labelKey(choice.trim());
  if (key === DONE) return DONE;
  const exact = choices.filter(({ name }) => labelKey(name) === key);
  const [only, ...others] = exact.length > 0 ? exact : choices.filter(({ name }) => hasWord(key, labelKey(name)));
  return only !== undefined && others.length === 0 ? only.id : null;
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + word.length))) return true;
  return false;
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
