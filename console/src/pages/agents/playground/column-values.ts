import { AGENT_SETTINGS, type AgentSettings, isSameJson } from "@swarmbase/sdk";
import type { ColumnCall } from "../../../data/playground.ts";
import { type AgentValues, type Column, type ColumnChanges, isSameValues } from "../../../data/playground-state.ts";
import { CALL_SETTINGS } from "../../../data/prompt-opening.ts";
import { EMPTY_DRAFT, tidyDraft } from "../agent-draft.ts";

/** The agent or version with the changes of the column, without empty values. */
export function applyChanges(base: AgentValues, changes: ColumnChanges): AgentValues {
  const { role, framework, model, system_prompt, settings } = tidyDraft({ ...EMPTY_DRAFT, ...base, ...changes });
  return { role, framework, model, system_prompt, settings };
}

/** What the column changes, in words. */
export function listChanges(base: AgentValues, changes: ColumnChanges): readonly string[] {
  const [before, after] = [applyChanges(base, {}), applyChanges(base, changes)];
  return [
    ...(before.framework === after.framework && before.model === after.model ? [] : ["model"]),
    ...(before.system_prompt === after.system_prompt ? [] : ["instructions"]),
    ...(isSameValues(before, { ...before, settings: after.settings }) ? [] : ["settings"]),
  ];
}

/** The call of the column: only what it changes. */
export function renderCall({ agentId, version, changes, opening }: Column, base: AgentValues): ColumnCall {
  const [before, after] = [applyChanges(base, {}), applyChanges(base, changes)];
  const settings = { ...opening?.settings, ...renderSettings(before.settings, after.settings) };
  return {
    agent_id: agentId,
    ...(version !== null && { agent_version: version }),
    ...renderModel(before, after),
    ...(before.system_prompt !== after.system_prompt && { system_prompt: after.system_prompt ?? "" }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** The provider without a model names its default. */
function renderModel(before: AgentValues, after: AgentValues): Pick<ColumnCall, "framework" | "model"> {
  const { framework, model } = after;
  if (before.framework === framework && before.model === model) return {};
  return { framework, ...(model !== null && { model }) };
}

/** A setting that the column resets has its default, because a call cannot remove it. */
function renderSettings(before: AgentSettings, after: AgentSettings): NonNullable<ColumnCall["settings"]> {
  const changed = CALL_SETTINGS.filter((name) => !isSameJson(before[name] ?? null, after[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? AGENT_SETTINGS[name].default ?? []]));
}
