import type { JsonObject } from "@swarmbase/sdk";
import { memberOf } from "./json.ts";

interface Keyed {
  readonly key: string;
  readonly id: string;
}

/** What a schedule sends its message to, as a file names it and as the service does. */
export const TARGETS = [
  { name: "agent", column: "agent_id", kind: "agents" },
  { name: "swarm", column: "swarm_id", kind: "swarms" },
] as const;

export type KeysOf = (kind: (typeof TARGETS)[number]["kind"]) => readonly Keyed[];

/** The schedule as the service has it: a file names agent or swarm by its key, or by the id where no file describes it. */
export function withTargetIds(schedule: JsonObject, keysOf: KeysOf): JsonObject {
  const ids = TARGETS.map(({ name, column, kind }): JsonObject => {
    const target = keysOf(kind).find(({ key }) => key === memberOf(schedule, name));
    return target === undefined ? {} : { [column]: target.id };
  });
  return Object.assign({}, schedule, ...ids) as JsonObject;
}

/** The same as a file has it. */
export function withTargetKeys(columns: JsonObject, keysOf: KeysOf): JsonObject {
  const keys = TARGETS.map(({ name, column, kind }): JsonObject => {
    const target = keysOf(kind).find(({ id }) => id === memberOf(columns, column));
    return target === undefined ? {} : { [name]: target.key, [column]: null };
  });
  return Object.assign({}, columns, ...keys) as JsonObject;
}
