import { AGENT_SETTINGS } from "@swarmbase/sdk";
import { isSwarmSetting } from "../rules/swarm-settings.ts";
import type { TableRule } from "../rules/table-rule.ts";

export interface ConstrainedField {
  /** Dotted where the constraint is about a key of the field. */
  readonly field: string;
  /** The rest of the name: the kind of rule. */
  readonly kind: string;
}

/** Constraints are named `<table>_<column>_<kind>`, or contain the column later; the longest match counts. */
export function fieldOfConstraint(rule: TableRule, constraint: string): ConstrainedField | null {
  if (!constraint.startsWith(`${rule.name}_`)) return null;
  const rest = constraint.slice(rule.name.length + 1);
  const columns = Object.keys(rule.fields).toSorted((left, right) => right.length - left.length);
  for (const column of columns) {
    if (rest !== column && !rest.startsWith(`${column}_`)) continue;
    const kind = rest.slice(column.length + 1);
    return column === "settings" && isSetting(rule, kind)
      ? { field: `${column}.${kind}`, kind: "range" }
      : { field: column, kind };
  }
  const inside = columns.find((column) => `_${rest}_`.includes(`_${column}_`));
  return inside === undefined ? null : { field: inside, kind: "" };
}

function isSetting({ name }: TableRule, key: string): boolean {
  return (name === "agents" && Object.hasOwn(AGENT_SETTINGS, key)) || (name === "swarms" && isSwarmSetting(key));
}
