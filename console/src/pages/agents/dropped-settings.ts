import { AGENT_SETTINGS, type AgentSettingName, type AgentSettings } from "@swarmbase/sdk";
import type { Model } from "../../data/models.ts";

export type Dropped = Readonly<Partial<Record<AgentSettingName, string>>>;

const NOT_SUPPORTED = "This model does not support it, so it is not sent.";

/** The settings that the model does not support or limits, with an explanation. Turns report the same as warnings. */
export function findDropped(settings: AgentSettings, model: Model | undefined): Dropped {
  if (model === undefined) return {};
  const { supports, max_output_tokens: longest } = model;
  const dropped: Partial<Record<AgentSettingName, string>> = {};
  const isSet = (name: AgentSettingName): boolean => {
    const value = settings[name];
    return value !== undefined && value !== null && value !== AGENT_SETTINGS[name].default;
  };
  if (longest !== null && (settings.max_tokens ?? 0) > longest)
    dropped.max_tokens = `Lowered to ${longest}, the maximum output of this model.`;
  if (isSet("top_p") && !supports.top_p) dropped.top_p = NOT_SUPPORTED;
  if (settings.temperature !== undefined) {
    if (!supports.temperature) dropped.temperature = NOT_SUPPORTED;
    else if (isSet("top_p") && supports.top_p && !supports.top_p_with_temperature)
      dropped.temperature = "This model does not support top P together with temperature: the temperature is not sent.";
    else if (settings.temperature > supports.temperature_max)
      dropped.temperature = `Lowered to ${supports.temperature_max}, the maximum of this model.`;
  }
  for (const name of ["presence_penalty", "frequency_penalty"] as const)
    if (isSet(name) && !supports.penalties) dropped[name] = NOT_SUPPORTED;
  const stops = settings.stop?.filter((text) => text !== "").length ?? 0;
  if (stops > supports.stop)
    dropped.stop = supports.stop === 0 ? NOT_SUPPORTED : `Only the first ${supports.stop} are sent to this model.`;
  if (isSet("response_schema") && !supports.response_schema)
    dropped.response_schema = "This model gets the schema in its system prompt. The service checks the replies.";
  return dropped;
}
