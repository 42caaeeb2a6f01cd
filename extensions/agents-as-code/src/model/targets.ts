import type { JsonObject } from "@swarmbase/sdk";
import { memberOf } from "./json.ts";
import type { Kind } from "./kinds.ts";

interface Keyed {
  readonly key: string;
  readonly id: string;
}

/** The kinds whose rows send a message to an agent or a swarm. Their tables are those of extensions. */
export function hasTarget(kind: Kind): boolean {
  return kind === "schedules" || kind === "triggers";
}

/** What they send it to, as a file names it and as the service does. */
export const TARGETS = [
  { name: "agent", column: "agent_id", kind: "agents" },
  { name: "swarm", column: "swarm_id", kind: "swarms" },
] as const;

type KeysOf = (kind: (typeof TARGETS)[number]["kind"]) => readonly Keyed[];

/** The row as the service has it: a file names agent or swarm by its key, or by the id where no file describes it. */
export function withTargetIds(row: JsonObject, keysOf: KeysOf): JsonObject {
  const ids = TARGETS.map(({ name, column, kind }): JsonObject => {
    const target = keysOf(kind).find(({ key }) => key === memberOf(row, name));
    return target === undefined ? {} : { [column]: target.id };
  });
  return Object.assign({}, row, ...ids) as JsonObject;
}

/** The same as a file has it. */
export function withTargetKeys(columns: JsonObject, keysOf: KeysOf): JsonObject {
  const keys = TARGETS.map(({ name, column, kind }): JsonObject => {
    const target = keysOf(kind).find(({ id }) => id === memberOf(columns, column));
    return target === undefined ? {} : { [name]: target.key, [column]: null };
  });
  return Object.assign({}, columns, ...keys) as JsonObject;
}
