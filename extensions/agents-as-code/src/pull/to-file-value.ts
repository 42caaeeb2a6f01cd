import { isSameJson, type Json, type JsonObject } from "@swarmbase/sdk";
import { FIELDS, initialValueOf } from "../model/fields.ts";
import { GRANT_TERMS } from "../model/grant-terms.ts";
import { isObject, memberOf, type Path, renderPath } from "../model/json.ts";
import { deriveId, variablePart } from "../model/keys.ts";
import { KIND_WORDS, type Kind } from "../model/kinds.ts";
import {
  escapeReferences,
  findReferences,
  referenceTo,
  resolveReferences,
  type Variables,
} from "../model/references.ts";
import { isSensitive } from "../model/is-sensitive.ts";
import type { ToolDirectory } from "../plan/plan-assignments.ts";
import type { Remote, RemoteRow } from "../service/read-remote.ts";

interface FileValueOptions {
  readonly ownerId: string;
  readonly key: string;
  readonly row: RemoteRow;
  readonly remote: Remote;
  readonly tools: ToolDirectory;
  agentKeyOf(agentId: string): string | null;
  /** What the file has now; null for a new file. */
  readonly current: JsonObject | null;
  readonly variables: Variables;
  /** A name that no other place uses. */
  nameVariable(wanted: string): string;
  note(message: string): void;
}

/** What the service switches off by itself. */
const SWITCHES: Partial<Record<Kind, string>> = { webhooks: "is_active", schedules: "enabled", triggers: "enabled" };

/** The content of the file that describes a row: no defaults, no secrets. */
export function toFileValue(options: FileValueOptions): JsonObject {
  const { ownerId, key, row, current } = options;
  const { kind } = row;
  const value: Record<string, Json> = { key };
  if (row.id !== deriveId(ownerId, kind, key)) value["id"] = row.id;
  else if (typeof current?.["id"] === "string") value["id"] = current["id"];
  for (const [name, field] of Object.entries(FIELDS[kind])) {
    const stored = field.isLink === true ? readLink(name, options) : (memberOf(row.columns, name) ?? null);
    if (stored === undefined) continue;
    if (isLeftOut(kind, name, stored, options)) {
      const given = memberOf(current ?? undefined, name);
      // A default that the author wrote down stays written.
      if (given !== undefined && (isSameJson(given, stored) || name === SWITCHES[kind])) value[name] = given;
      continue;
    }
    value[name] =
      name === "secrets"
        ? writeSecrets(stored, options)
        : write(stored, memberOf(current ?? undefined, name), [name], options);
  }
  return value;
}

function isLeftOut(kind: Kind, name: string, stored: Json, { row, remote }: FileValueOptions): boolean {
  if (name === SWITCHES[kind] && isSwitchedByService(row)) return true;
  return isSameJson(stored, initialValueOf(kind, name, remote.defaults) ?? null);
}

/** What the service has switched off is not what its owner wants to be off. */
function isSwitchedByService({ kind, row }: RemoteRow): boolean {
  if (kind === "webhooks") return typeof row["disabled_reason"] === "string";
  return typeof row["paused_reason"] === "string" || typeof row["run_at"] === "string";
}

/** Keeps what the file says where it means the stored value, and references wherever it has them. */
function write(stored: Json, current: Json | undefined, path: Path, options: FileValueOptions): Json {
  if (Array.isArray(stored))
    return stored.map((item, index) => write(item, memberOf(current, index), [...path, index], options));
  if (isObject(stored))
    return Object.fromEntries(
      Object.entries(stored).map(([name, member]) => [
        name,
        write(member ?? null, memberOf(current, name), [...path, name], options),
      ]),
    );
  if (typeof stored !== "string") return stored;
  const { row, key, variables } = options;
  if (typeof current === "string") {
    const { value, unset } = resolveReferences(current, undefined, variables);
    if (unset.length === 0 && value === stored) return current;
    if (findReferences(current).length > 0) {
      if (unset.length === 0) options.note(`${row.kind}/${key} ${renderPath(path)} is not ${current} on the service.`);
      return current;
    }
  }
  const [top, reference] = path;
  const isSecret =
    row.kind === "agents" && top === "tools"
      ? isSensitive("assignments", path.slice(3), stored)
      : isSensitive(row.kind, path, stored);
  if (!isSecret) return escapeReferences(stored);
  const place = top === "tools" ? [reference, path.at(-1)] : [path.at(-1)];
  return referenceTo(options.nameVariable(variableOf(row.kind, key, place.map(String))));
}

function writeSecrets(names: Json, { row, key, current, nameVariable }: FileValueOptions): Json {
  const known = memberOf(current ?? undefined, "secrets");
  return Object.fromEntries(
    (Array.isArray(names) ? names : []).flatMap((text) => {
      if (typeof text !== "string") return [];
      return [[text, memberOf(known, text) ?? referenceTo(nameVariable(variableOf(row.kind, key, [text])))]];
    }),
  );
}

function variableOf(kind: Kind, key: string, parts: readonly string[]): string {
  return [KIND_WORDS[kind], key, ...parts].map(variablePart).join("_");
}

/** The rows of other tables that the file lists. */
function readLink(name: string, options: FileValueOptions): Json | undefined {
  const { row, remote, tools, agentKeyOf } = options;
  const { id } = row;
  switch (name) {
    case "secrets": {
      const names = memberOf(row.row, "secret_names");
      return Array.isArray(names) && names.length > 0 ? names : {};
    }
    case "tools": {
      const rows = remote.assignments.filter(({ agentId }) => agentId === id);
      const entries = rows.map(({ toolId, enabled, configuration, approver }): [string, Json] => [
        tools.nameOf(toolId),
        {
          ...(!enabled && { enabled }),
          ...(!isSameJson(configuration, {}) && { configuration }),
          ...(approver !== null && { approver }),
        },
      ]);
      return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
    }
    case "grants": {
      const rows = remote.grants.filter(({ agentId }) => agentId === id);
      if (rows.length === 0) return undefined;
      return rows.map(({ audience, columns, email, userId }) => ({
        audience,
        ...(userId !== null && (email === null ? { user: userId } : { email })),
        ...Object.fromEntries(
          Object.entries(columns).filter(([name, value]) => !isSameJson(value, GRANT_TERMS[name]?.default ?? null)),
        ),
      }));
    }
    case "agent":
    case "swarm":
      return memberOf(row.columns, name);
    case "agents":
      return remote.swarmAgents
        .filter(({ swarmId }) => swarmId === id)
        .toSorted((one, other) => one.position - other.position)
        .flatMap(({ agentId, enabled, roleOverride }) => ({
          agent: agentKeyOf(agentId) ?? agentId,
          ...(!enabled && { enabled }),
          ...(roleOverride !== null && { role_override: roleOverride }),
        }));
    case "coordinator": {
      const agentId = memberOf(row.row, "coordinator_agent_id");
      // The coordinator may be the agent of another member, which no file describes.
      return typeof agentId === "string" ? agentKeyOf(agentId) : null;
    }
    default: {
      const rows = remote.members.filter(({ swarmId }) => swarmId === id);
      if (rows.length === 0) return undefined;
      const entries = rows.map(({ email, userId, role }) => ({
        ...(email === null ? { user: userId ?? "" } : { email }),
        ...(role !== "member" && { role }),
      }));
      return entries.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    }
  }
}
