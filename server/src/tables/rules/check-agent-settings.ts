import { AGENT_SETTINGS, type AgentSettingName } from "@swarmbase/sdk";
import { isRecord } from "../../json/index.ts";
import { type Fault, type PresentValue, type Row, type Value, valueOf } from "../fields/field.ts";
import { describeRange, isBetween } from "../fields/plain-fields.ts";

/** Checks of agents that the agents module provides. */
export interface AgentChecks {
  /** Follows the name of the field. */
  findResponseSchemaFault(schema: Row): string | null;
}

/** Validates known keys; keeps others unchanged. */
export function checkAgentSettings(settings: Row, checks: AgentChecks | null): readonly Fault[] {
  const faults: Fault[] = [];
  for (const name of Object.keys(AGENT_SETTINGS) as AgentSettingName[]) {
    const value = valueOf(settings, name);
    const message = value === undefined ? null : findFault(AGENT_SETTINGS[name], value, checks);
    if (message !== null) faults.push({ path: name, message, code: null });
  }
  return faults;
}

function findFault(
  row: (typeof AGENT_SETTINGS)[AgentSettingName],
  value: Value,
  checks: AgentChecks | null,
): string | null {
  if (row.kind === "json schema") return value === null ? null : findSchemaFault(value, checks);
  if (row.kind === "text list") return value === null ? null : findListFault(row.maxItems, value);
  if (row.kind === "integer" && !Number.isInteger(value)) return "must be an integer";
  if (typeof value !== "number") return "must be a number";
  const max = row.max ?? Number.MAX_SAFE_INTEGER;
  return isBetween(value, row.min, max) ? null : describeRange(value, row.min, max);
}

function findListFault(maxItems: number, value: PresentValue): string | null {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string"))
    return "must be null or an array of strings";
  return value.length <= maxItems ? null : `must have at most ${maxItems} entries`;
}

function findSchemaFault(value: PresentValue, checks: AgentChecks | null): string | null {
  if (!isRecord(value)) return "must be null or a JSON Schema object";
  return checks?.findResponseSchemaFault(value) ?? null;
}
