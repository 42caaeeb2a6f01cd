import { AGENT_SETTINGS, type AgentSettingName, type AgentSettings } from "@swarmbase/sdk";
import type { Model } from "../../data/models.ts";

export type Dropped = Readonly<Partial<Record<AgentSettingName, string>>>;

const NOT_TAKEN = "This model does not take it: it is not sent.";

/** What a model will not get to see of the settings as they are, said before it happens rather than in a turn's warnings. */
export function findDropped(settings: AgentSettings, model: Model | undefined): Dropped {
  if (model === undefined) return {};
  const { supports, max_output_tokens: longest } = model;
  const dropped: Partial<Record<AgentSettingName, string>> = {};
  const asked = (name: AgentSettingName): boolean => {
    const value = settings[name];
    return value !== undefined && value !== null && value !== AGENT_SETTINGS[name].default;
  };
  if (longest !== null && (settings.max_tokens ?? 0) > longest)
    dropped.max_tokens = `Lowered to ${longest}, the most that this model writes.`;
  if (asked("top_p") && !supports.top_p) dropped.top_p = NOT_TAKEN;
  if (settings.temperature !== undefined) {
    if (!supports.temperature) dropped.temperature = NOT_TAKEN;
    else if (asked("top_p") && supports.top_p && !supports.top_p_with_temperature)
      dropped.temperature = "This model takes top P or temperature: the temperature is not sent.";
    else if (settings.temperature > supports.temperature_max)
      dropped.temperature = `Lowered to ${supports.temperature_max}, this model's highest.`;
  }
  for (const name of ["presence_penalty", "frequency_penalty"] as const)
    if (asked(name) && !supports.penalties) dropped[name] = NOT_TAKEN;
  const stops = settings.stop?.filter((text) => text !== "").length ?? 0;
  if (stops > supports.stop)
    dropped.stop = supports.stop === 0 ? NOT_TAKEN : `Only the first ${supports.stop} are sent to this model.`;
  return dropped;
}
