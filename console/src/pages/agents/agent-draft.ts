import { AGENT_SETTINGS, type AgentSettings, FRAMEWORKS } from "@swarmbase/sdk";
import type { Agent, AgentDraft } from "../../data/agents.ts";

export const EMPTY_DRAFT: AgentDraft = {
  name: "",
  role: null,
  avatar: null,
  description: null,
  starter_questions: [],
  framework: FRAMEWORKS[0],
  model: null,
  system_prompt: null,
  settings: {},
};

export function draftOf(agent: Agent): AgentDraft {
  const { name, role, avatar, description, starter_questions, framework, model, system_prompt, settings } = agent;
  return { name, role, avatar, description, starter_questions, framework, model, system_prompt, settings };
}

/** The draft as it is sent, without empty values. */
export function tidyDraft(draft: AgentDraft): AgentDraft {
  const { name, role, avatar, description, starter_questions, framework, model, system_prompt, settings } = draft;
  return {
    name,
    role: orNull(role),
    avatar: orNull(avatar),
    description: orNull(description),
    starter_questions: starter_questions.map((question) => question.trim()).filter((question) => question !== ""),
    framework,
    model: orNull(model),
    system_prompt: orNull(system_prompt),
    settings: tidySettings(settings),
  };
}

/** Keeps keys that the console does not know, because an update replaces the whole object. */
function tidySettings(settings: AgentSettings): AgentSettings {
  const { stop, ...others } = settings;
  const texts = stop?.filter((text) => text !== "") ?? [];
  const kept = Object.entries(others).filter(([, value]) => value !== undefined && !Number.isNaN(value));
  return { ...Object.fromEntries(kept), ...(texts.length > 0 && { stop: texts }) };
}

export function isSameDraft(left: AgentDraft, right: AgentDraft): boolean {
  return render(tidyDraft(left)) === render(tidyDraft(right));
}

function render({ settings, ...draft }: AgentDraft): string {
  const entries = Object.entries(settings).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([draft, entries]);
}

/** Keys of the settings that applications use. */
export function findOtherKeys(settings: AgentSettings): readonly string[] {
  return Object.keys(settings).filter((key) => !Object.hasOwn(AGENT_SETTINGS, key));
}

function orNull(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}

/** Marks the changed fields, each setting separately. */
export function touchParts(touch: (field: string) => void, old: AgentDraft, part: Partial<AgentDraft>): void {
  for (const field of Object.keys(part)) if (field !== "settings") touch(field);
  const { settings = old.settings } = part;
  const changed = Object.keys({ ...old.settings, ...settings }).filter((key) => old.settings[key] !== settings[key]);
  for (const key of changed) touch(`settings.${key}`);
}
