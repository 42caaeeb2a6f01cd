import { isSameJson, type Json } from "@swarmbase/sdk";
import type { Resource } from "../files/check-resource.ts";
import { isObject, memberOf } from "../model/json.ts";
import { UUID } from "../model/keys.ts";
import { resolveReferences } from "../model/references.ts";
import { isSensitive } from "../model/is-sensitive.ts";
import type { Assignment, OtherTool, Remote } from "../service/read-remote.ts";
import { diffValues } from "./diff-values.ts";
import type { Match } from "./match.ts";
import type { Change, Draft, Step } from "./plan.ts";
import { describeUnset, linkStep, placeOf, type RowOptions, VOUCHED } from "./plan-rows.ts";

const LINK = { noun: "assignment", table: "agent_tools", list: "tools" } as const;
/** Servers and proxies limit the length of a URL. */
const MAX_FILTER_LENGTH = 1_000;

interface FoundTool {
  readonly id: string;
  /** Calls are made in the name of the person who asks. Absent means no. */
  readonly actsForAsker?: boolean;
}

/** Finds tools by the names that files use for them. */
export interface ToolDirectory {
  /** `find_order`, `builtin/calculator`, `shared/lookup` or `shared/<id>`; a text says why there is none. */
  find(reference: string): FoundTool | string;
  /** The other way round. */
  nameOf(toolId: string): string;
}

export function createToolDirectory(
  tools: readonly (FoundTool & { readonly key: string })[],
  otherTools: readonly OtherTool[],
): ToolDirectory {
  const others = (name: string, isBuiltin: boolean): readonly OtherTool[] =>
    otherTools.filter((tool) => tool.name === name && tool.isBuiltin === isBuiltin);
  return {
    find(reference) {
      const [prefix = "", name = ""] = reference.split("/");
      if (name === "") return tools.find(({ key }) => key === reference) ?? "is not the key of a file in tools/";
      if (UUID.test(name)) return otherTools.find(({ id }) => id === name) ?? { id: name };
      const [found, second] = others(name, prefix === "builtin");
      if (found === undefined) return `is not a ${prefix === "builtin" ? "built-in" : "shared"} tool of the service`;
      return second === undefined ? found : `is the name of several tools: write ${prefix}/<id>`;
    },
    nameOf(toolId) {
      const own = tools.find(({ id }) => id === toolId);
      if (own !== undefined) return own.key;
      const other = otherTools.find(({ id }) => id === toolId);
      if (other?.isBuiltin === true) return `builtin/${other.name}`;
      const isUnique = other !== undefined && others(other.name, false).length === 1;
      return `shared/${isUnique ? other.name : toolId}`;
    },
  };
}

/** Steps that give an agent the tools that its file lists. */
export function planAssignments(
  match: Match,
  { remote, tools }: { readonly remote: Pick<Remote, "assignments">; readonly tools: ToolDirectory },
  draft: Draft,
  options: Pick<RowOptions, "variables" | "writer">,
): void {
  const { resource, id: agentId } = match;
  const given = memberOf(resource.given, "tools");
  const stored = remote.assignments.filter((row) => row.agentId === agentId);
  const wantedIds = new Set<string>();
  for (const [reference, entry] of Object.entries(isObject(given) ? given : {})) {
    const tool = tools.find(reference);
    const path = ["tools", reference];
    if (typeof tool === "string") {
      draft.faults.push({ ...placeOf(resource, ...path), path, message: tool });
      continue;
    }
    if (wantedIds.has(tool.id)) {
      draft.faults.push({ ...placeOf(resource, ...path), path, message: "is the same tool as another line" });
      continue;
    }
    wantedIds.add(tool.id);
    const row = stored.find(({ toolId }) => toolId === tool.id) ?? null;
    planAssignment({ resource, agentId, tool, reference, entry: entry ?? {}, row }, draft, options);
  }
  for (const row of stored.filter(({ toolId }) => !wantedIds.has(toolId))) {
    const step = linkStep(LINK, resource, tools.nameOf(row.toolId));
    draft.deletions.push({ ...step, action: "delete", id: row.id, ...guardOf(row) });
  }
}

interface Wanted {
  readonly resource: Resource;
  readonly agentId: string;
  readonly tool: FoundTool;
  readonly reference: string;
  readonly entry: Json;
  readonly row: Assignment | null;
}

function planAssignment(wanted: Wanted, draft: Draft, options: Pick<RowOptions, "variables" | "writer">): void {
  const { resource, agentId, tool, reference, entry, row } = wanted;
  const raw = memberOf(entry, "configuration") ?? {};
  const resolved = resolveReferences(raw, row?.configuration, options.variables);
  for (const secret of resolved.secrets) draft.secrets.add(secret);
  const isRestored = options.writer === "service" && tool.actsForAsker === true && row?.isVouched === false;
  const missing = new Set<string>();
  for (const { path, names, isStored } of resolved.unset) {
    if (isStored && !isRestored)
      draft.notes.add(describeUnset(resource, ["tools", reference, "configuration", ...path], names));
    else for (const name of names) missing.add(name);
  }
  const after = {
    enabled: memberOf(entry, "enabled") ?? true,
    configuration: resolved.value,
    approver: memberOf(entry, "approver") ?? null,
  };
  const before = row === null ? null : statesOf(row);
  if (isSameJson(before, after) && missing.size === 0 && !isRestored) {
    draft.unchanged += 1;
    return;
  }
  const compare = (name: keyof typeof after, initial: Json, source: Json): readonly Change[] =>
    diffValues([name], {
      before: before === null ? undefined : before[name],
      after: before === null && isSameJson(after[name], initial) ? undefined : after[name],
      raw: source,
      isSensitive: (path, value) => isSensitive("assignments", path, value),
    });
  draft.steps.push({
    ...linkStep(LINK, resource, reference),
    action: row === null ? "create" : "update",
    changes: [
      ...compare("enabled", true, true),
      ...compare("configuration", {}, raw),
      ...compare("approver", null, null),
      ...(isRestored ? [VOUCHED] : []),
    ],
    id: row?.id ?? null,
    ...(row === null ? {} : guardOf(row)),
    body:
      row === null
        ? { agent_id: agentId, tool_id: tool.id, ...after }
        : { ...after, ...(isRestored && { is_vouched: true }) },
    needs: [agentId, tool.id],
    missing: [...missing],
    lineOf: (field) => placeOf(resource, "tools", reference, ...field.split(".")),
  });
}

function statesOf({ enabled, configuration, approver }: Assignment) {
  return { enabled, configuration, approver };
}

/** Assignments have no time of their last change, so their values are compared. */
function guardOf(row: Assignment): Pick<Step, "filter" | "expected"> {
  const { enabled, configuration, approver } = statesOf(row);
  const filter = { enabled: `eq.${enabled}`, approver: approver === null ? "is.null" : `eq.${approver}` };
  const text = JSON.stringify(configuration);
  if (text.length > MAX_FILTER_LENGTH) return { filter, expected: { configuration } };
  return { filter: { ...filter, configuration: `eq.${text}` } };
}
