import type { JsonObject } from "@swarmbase/sdk";
import type { Resource } from "../files/check-resource.ts";
import { FolderError } from "../files/read-folder.ts";
import { renderFile, updateFile } from "../files/render-file.ts";
import { isObject } from "../model/json.ts";
import { deriveId, slugOf } from "../model/keys.ts";
import { type Kind, KINDS } from "../model/kinds.ts";
import { findReferences, type Variables } from "../model/references.ts";
import { hasTarget, withTargetKeys } from "../model/targets.ts";
import { withSwarmKey } from "../model/swarm-tools.ts";
import { findOutdatedFiles } from "../plan/build-plan.ts";
import { matchResources } from "../plan/match.ts";
import { createToolDirectory } from "../plan/plan-assignments.ts";
import type { Remote, RemoteRow } from "../service/read-remote.ts";
import { toFileValue } from "./to-file-value.ts";

interface PulledFile {
  /** Relative to the folder. */
  readonly file: string;
  readonly text: string;
  /** Null for a new file. */
  readonly before: string | null;
}

export interface Pulled {
  /** Every file, changed or not. */
  readonly files: readonly PulledFile[];
  /** Files of what the service does not have. */
  readonly surplus: readonly string[];
  readonly notes: readonly string[];
}

interface PullOptions {
  readonly ownerId: string;
  readonly variables: Variables;
}

/** The files that describe what the service has. Files that exist keep their names, keys, references and comments. */
export function buildFiles(
  resources: readonly Resource[],
  remote: Remote,
  { ownerId, variables }: PullOptions,
): Pulled {
  const { matches, unmatched, faults } = matchResources(resources, remote.rows, ownerId);
  if (faults.length > 0) throw new FolderError(faults);
  const described = [
    ...matches.flatMap(({ resource, row }) => (row === null ? [] : [{ row, key: resource.key, resource }])),
    ...chooseKeys(unmatched, resources, ownerId).map(([row, key]) => ({ row, key, resource: null })),
  ];
  const keysOf = (kind: Kind): readonly { key: string; id: string }[] =>
    described.filter(({ row }) => row.kind === kind).map(({ key, row }) => ({ key, id: row.id }));
  const [tools, agents] = [createToolDirectory(keysOf("tools"), remote.otherTools), keysOf("agents")];
  const notes: string[] = [];
  const nameVariable = createVariableNames(resources);
  const nameFile = createFileNames(resources);
  // A file that says the same in another way is left as its author wrote it.
  const outdated = findOutdatedFiles(resources, remote, { ownerId, variables });
  const files = described.map(({ row, key, resource }) => {
    const value = toFileValue({
      ownerId,
      key,
      row: { ...row, columns: withKeys(row, keysOf) },
      remote,
      tools,
      agentKeyOf: (agentId) => agents.find(({ id }) => id === agentId)?.key ?? null,
      current: resource?.given === undefined ? null : currentOf(resource),
      variables,
      nameVariable,
      note: (message) => notes.push(message),
    });
    if (resource === null) return { file: nameFile(row.kind, key), text: renderFile(value), before: null };
    const { source } = resource;
    const isCurrent = !outdated.has(source.file) && (value["id"] ?? null) === resource.id;
    return { file: source.file, text: isCurrent ? source.text : updateFile(source, value), before: source.text };
  });
  const surplus = matches.flatMap(({ resource, row }) => (row === null ? [resource.source.file] : []));
  return { files: files.sort((one, other) => (one.file < other.file ? -1 : 1)), surplus, notes };
}

/** The columns as a file has them, which names others by their keys. */
function withKeys(
  { kind, columns }: RemoteRow,
  keysOf: (kind: Kind) => readonly { key: string; id: string }[],
): JsonObject {
  if (kind === "tools") return withSwarmKey(columns, keysOf("swarms"));
  return hasTarget(kind) ? withTargetKeys(columns, keysOf) : columns;
}

function currentOf({ source }: Resource): JsonObject | null {
  return isObject(source.value) ? source.value : null;
}

/** A key for each row without a file: from its name, and the one that its id was derived from where that can be seen. */
function chooseKeys(
  rows: readonly RemoteRow[],
  resources: readonly Resource[],
  ownerId: string,
): readonly (readonly [RemoteRow, string])[] {
  return KINDS.flatMap((kind) => {
    const group = rows.filter((row) => row.kind === kind);
    const taken = new Set(resources.filter((resource) => resource.kind === kind).map(({ key }) => key));
    const keys = new Map<RemoteRow, string>();
    const give = (row: RemoteRow, key: string): void => {
      keys.set(row, key);
      taken.add(key);
    };
    for (const [slug, named] of Map.groupBy(group, ({ name }) => slugOf(kind, name))) {
      const derived = new Map(numbered(slug, named.length).map((key) => [deriveId(ownerId, kind, key), key]));
      for (const row of named) {
        const key = derived.get(row.id);
        if (key !== undefined && !taken.has(key)) give(row, key);
      }
    }
    for (const row of group.filter((each) => !keys.has(each))) {
      const free = numbered(slugOf(kind, row.name), taken.size + 1).find((key) => !taken.has(key));
      give(row, free ?? row.id);
    }
    return [...keys];
  });
}

/** `ada`, `ada-2`, `ada-3`. */
function numbered(slug: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? slug : `${slug}-${index + 1}`));
}

/** The file of another key may have this name already, also in another case, which some file systems do not tell apart. */
function createFileNames(resources: readonly Resource[]): (kind: Kind, key: string) => string {
  const taken = new Set(resources.map(({ source }) => source.file.toLowerCase()));
  return (kind, key) => {
    const names = numbered(key, taken.size + 1).map((name) => `${kind}/${name}.yaml`);
    const free = names.find((name) => !taken.has(name)) ?? `${kind}/${key}.yaml`;
    taken.add(free);
    return free;
  };
}

/** Two secrets must not share a variable: the value of one would be sent in place of the other. */
function createVariableNames(resources: readonly Resource[]): (wanted: string) => string {
  const taken = new Set(resources.flatMap(({ source }) => findReferences(source.text)));
  return (wanted) => {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? wanted : `${wanted}_${count}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
}
