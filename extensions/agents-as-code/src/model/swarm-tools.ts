import type { Json, JsonObject } from "@swarmbase/sdk";
import { isObject, memberOf } from "./json.ts";

interface Keyed {
  readonly key: string;
  readonly id: string;
}

/** The key of the swarm that a tool of the kind `swarm` names in its file. Undefined means that it names none. */
export function swarmKeyOf(tool: JsonObject): Json | undefined {
  return memberOf(tool, "kind") === "swarm" ? memberOf(memberOf(tool, "config"), "swarm") : undefined;
}

/** The tool as the service has it: a file names the swarm by its key. */
export function withSwarmId(tool: JsonObject, swarms: readonly Keyed[]): JsonObject {
  const key = swarmKeyOf(tool);
  const swarm = swarms.find((each) => each.key === key);
  const config = memberOf(tool, "config");
  if (swarm === undefined || !isObject(config)) return tool;
  const { swarm: _key, ...others } = config;
  return { ...tool, config: { swarm_id: swarm.id, ...others } };
}

/** The same as a file has it. A swarm that no file describes keeps its id. */
export function withSwarmKey(tool: JsonObject, swarms: readonly Keyed[]): JsonObject {
  const config = memberOf(tool, "config");
  if (memberOf(tool, "kind") !== "swarm" || !isObject(config)) return tool;
  const { swarm_id: id, ...others } = config;
  const swarm = swarms.find((each) => each.id === id);
  return swarm === undefined ? tool : { ...tool, config: { swarm: swarm.key, ...others } };
}
