import { actsForAsker, isSameJson, type Json, type JsonObject } from "@swarmbase/sdk";
import type { Resource } from "../files/check-resource.ts";
import type { Place } from "../files/yaml-file.ts";
import { columnsOf, initialValueOf, type ServiceDefaults } from "../model/fields.ts";
import { isObject, memberOf, renderPath } from "../model/json.ts";
import { KIND_WORDS, OWNER_COLUMNS } from "../model/kinds.ts";
import { resolveReferences, type Variables } from "../model/references.ts";
import { isSensitive } from "../model/is-sensitive.ts";
import { hasTarget } from "../model/targets.ts";
import type { RemoteRow } from "../service/read-remote.ts";
import { diffValues } from "./diff-values.ts";
import type { Match } from "./match.ts";
import type { Change, Draft, Step } from "./plan.ts";

export interface RowOptions {
  readonly ownerId: string;
  readonly variables: Variables;
  /** Writes the secrets of tools although their names have not changed. */
  readonly writesSecrets: boolean;
  /** Who makes the requests. `nobody`: the files are only compared. */
  readonly writer: "service" | "user" | "nobody";
  readonly defaults: ServiceDefaults;
}

/** What the plan shows of a row that the service role has to write again, because its owner did so since. */
export const VOUCHED: Change = { path: "is_vouched", before: false, after: true, isSecret: false };

/** The step that creates or updates the row of a file, if one is needed. */
export function planRow(match: Match, draft: Draft, options: RowOptions): void {
  const { resource, row } = match;
  if (OWNER_COLUMNS[resource.kind] === null && options.writer === "user") {
    draft.notes.add(`${describePlace(resource, [])} was not compared: only the service role writes it.`);
    return;
  }
  const body: Record<string, Json> = {};
  const changes: Change[] = [];
  const missing = new Set<string>();
  const isRestored = isNoLongerVouched(match, options);
  for (const [name, field] of columnsOf(resource.kind)) {
    const given = memberOf(resource.given, name) ?? null;
    const initial = initialValueOf(resource.kind, name, options.defaults);
    const raw = given ?? initial ?? null;
    // Required fields are present; what is neither given nor has a default stays as it is.
    if (given === null && (field.default === undefined || field.isDerived?.(resource.given) === true)) continue;
    const before = row === null ? undefined : memberOf(row.columns, name);
    const resolved = resolveReferences(raw, before, options.variables);
    const after = field.normalise?.(resolved.value) ?? resolved.value;
    for (const secret of resolved.secrets) draft.secrets.add(secret);
    for (const { path, names, isStored } of resolved.unset) {
      // Nobody vouches for a stored value that was not compared.
      if (isStored && !isRestored) draft.notes.add(describeUnset(resource, [name, ...path], names));
      else for (const variable of names) missing.add(variable);
    }
    const isEqual = before !== undefined && field.isStoredAs?.(after, before) === true;
    if (
      (isEqual || isSameJson(before === undefined ? initial : before, after)) &&
      resolved.unset.every(({ isStored }) => isStored)
    )
      continue;
    if (field.isOfService === true && options.writer === "user") {
      draft.notes.add(`${describePlace(resource, [name])} was not compared: only the service role writes it.`);
      continue;
    }
    if (row !== null && field.isFixed === true) {
      const message = `cannot be changed from ${JSON.stringify(before)}: give the ${KIND_WORDS[resource.kind]} another key`;
      draft.faults.push({ ...placeOf(resource, name), path: [name], message });
      continue;
    }
    body[name] = after;
    changes.push(
      ...diffValues([name], {
        before,
        after,
        raw,
        isSensitive: (path, value) => isSensitive(resource.kind, path, value),
      }),
    );
  }
  const writesSecrets = options.writesSecrets || isRestored;
  if (resource.kind === "tools")
    planSecrets(match, { draft, options: { ...options, writesSecrets }, body, changes, missing });
  if (isRestored) {
    body["is_vouched"] = true;
    changes.push(VOUCHED);
  }
  if (row !== null && Object.keys(body).length === 0) {
    draft.unchanged += 1;
    return;
  }
  draft.steps.push(toStep(match, options.ownerId, { body, changes, missing: [...missing] }));
}

/** The tool acts for the person who asks, and its owner has written it after the service role. */
function isNoLongerVouched({ resource, row }: Match, { writer }: RowOptions): boolean {
  return writer === "service" && row?.row["is_vouched"] === false && describesActing(resource);
}

/** Whether the file describes a tool that acts for the person who asks. */
export function describesActing({ kind, given }: Resource): boolean {
  return kind === "tools" && actsForAsker({ kind: memberOf(given, "kind"), config: memberOf(given, "config") });
}

/** Secrets cannot be read, so their names are compared. The service drops them when the host of the tool changes. */
function planSecrets(
  { resource, row }: Match,
  to: {
    readonly draft: Draft;
    readonly options: RowOptions;
    readonly body: Record<string, Json>;
    readonly changes: Change[];
    readonly missing: Set<string>;
  },
): void {
  const given = memberOf(resource.given, "secrets");
  const wanted = isObject(given) ? given : {};
  const stored = row === null ? [] : memberOf(row.row, "secret_names");
  const before = (Array.isArray(stored) ? stored : []).map(String).sort();
  const after = Object.keys(wanted).sort();
  const losesThem = Object.hasOwn(to.body, "config") && hostOf(row?.columns["config"]) !== hostOf(to.body["config"]);
  const isWritten = after.length > 0 && (to.options.writesSecrets || (row !== null && losesThem));
  if (isSameJson(before, after) && !isWritten) return;
  const resolved = resolveReferences(wanted, undefined, to.options.variables);
  for (const secret of resolved.secrets) to.draft.secrets.add(secret);
  for (const { names } of resolved.unset) for (const name of names) to.missing.add(name);
  to.body["secrets"] = resolved.value;
  const names = [...new Set([...before, ...after])];
  to.changes.push(
    ...names.map((name) => ({
      path: renderPath(["secrets", name]),
      before: before.includes(name) ? "" : undefined,
      after: after.includes(name) ? "" : undefined,
      isSecret: true,
    })),
  );
}

function toStep(
  { resource, row, id }: Match,
  ownerId: string,
  { body, changes, missing }: Pick<Step, "changes" | "missing"> & { readonly body: JsonObject },
): Step {
  const ownerColumn = OWNER_COLUMNS[resource.kind];
  return {
    action: row === null ? "create" : "update",
    noun: KIND_WORDS[resource.kind],
    title: resource.key,
    place: placeOf(resource, "key"),
    changes,
    table: resource.kind,
    id,
    filter: row === null ? {} : { updated_at: `eq.${row.updatedAt}` },
    body: row === null ? { id, ...(ownerColumn !== null && { [ownerColumn]: ownerId }), ...body } : body,
    needs: [...(ownerColumn === null ? [] : [ownerId]), ...namesOf(resource)],
    missing,
    lineOf: (field) => placeOf(resource, ...field.split(".")),
  };
}

/** The rows that the row names, which other steps may create. */
function namesOf({ kind, given }: Resource): readonly string[] {
  const named = hasTarget(kind) ? given : kind === "tools" ? memberOf(given, "config") : undefined;
  return ["agent_id", "swarm_id"].map((name) => memberOf(named, name)).filter((id) => typeof id === "string");
}

export function planRowDeletion(row: RemoteRow): Step {
  return {
    action: "delete",
    noun: KIND_WORDS[row.kind],
    title: `${JSON.stringify(row.name)} (${row.id})`,
    place: null,
    changes: [],
    table: row.kind,
    id: row.id,
    filter: { updated_at: `eq.${row.updatedAt}` },
    body: null,
    needs: [],
    missing: [],
    lineOf: () => null,
  };
}

/** The common part of the steps for rows that a list of the file describes. */
export function linkStep(
  { noun, table, list }: Pick<Step, "noun" | "table"> & { readonly list: string },
  resource: Resource,
  name: string,
): Omit<Step, "action" | "id"> {
  return {
    noun,
    title: `${resource.key} → ${name}`,
    place: placeOf(resource, list),
    changes: [],
    table,
    filter: {},
    body: null,
    needs: [],
    missing: [],
    lineOf: () => placeOf(resource, list),
  };
}

export function placeOf({ source }: Resource, ...path: readonly (string | number)[]): Place {
  return { file: source.file, line: source.lineOf(path) };
}

export function describeUnset(
  resource: Resource,
  path: readonly (string | number)[],
  names: readonly string[],
): string {
  return `${describePlace(resource, path)} was not compared: ${names.join(", ")} is not set.`;
}

function describePlace(resource: Resource, path: readonly (string | number)[]): string {
  const { file, line } = placeOf(resource, ...path);
  return `${file}:${line} ${renderPath(path)}`;
}

/** As the database compares it. */
function hostOf(config: Json | undefined): string | null {
  const url = memberOf(config, "url");
  return typeof url === "string" ? (/^https?:\/\/([^/?#]*)/.exec(url.toLowerCase())?.[1] ?? null) : null;
}
