import type { JsonObject } from "@swarmbase/sdk";
import type { Resource } from "../files/check-resource.ts";
import type { FileFault } from "../files/yaml-file.ts";
import { deriveId } from "../model/keys.ts";
import { KIND_WORDS, KINDS } from "../model/kinds.ts";
import type { RemoteRow } from "../service/read-remote.ts";

export interface Match {
  readonly resource: Resource;
  /** Null when the service does not have it. */
  readonly row: RemoteRow | null;
  /** Of the row, or of the row that will be created. */
  readonly id: string;
}

interface Matches {
  readonly matches: readonly Match[];
  /** Rows that no file describes. */
  readonly unmatched: readonly RemoteRow[];
  readonly notes: readonly string[];
  readonly faults: readonly FileFault[];
}

/**
 * Finds the row of each file: by the `id` in the file, then by the id that is derived from its key, then by its name, so that files which
 * were written by hand find rows that were made elsewhere.
 */
export function matchResources(resources: readonly Resource[], rows: readonly RemoteRow[], ownerId: string): Matches {
  const found = new Map<Resource, RemoteRow>();
  const faults: FileFault[] = [];
  const notes: string[] = [];
  const free = new Map(rows.map((row) => [row.id, row]));
  const claim = (resource: Resource, row: RemoteRow): void => {
    found.set(resource, row);
    free.delete(row.id);
  };
  for (const resource of resources) {
    if (resource.id === null) continue;
    const row = rows.find(({ id, kind }) => id === resource.id && kind === resource.kind);
    if (row === undefined) continue;
    if (free.has(row.id)) claim(resource, row);
    else faults.push(faultAt(resource, "id", "is the id of another file too"));
  }
  for (const resource of resources) {
    const row = free.get(deriveId(ownerId, resource.kind, resource.key));
    if (!found.has(resource) && row !== undefined) claim(resource, row);
  }
  for (const kind of KINDS) {
    const waiting = resources.filter((resource) => resource.kind === kind && !found.has(resource));
    for (const [name, named] of Map.groupBy(waiting, ({ given }) => nameOf(given))) {
      const candidates = [...free.values()].filter((row) => row.kind === kind && row.name === name);
      const [resource] = named;
      const [row] = candidates;
      if (resource === undefined || row === undefined) continue;
      if (named.length > 1 || candidates.length > 1) {
        const message = `is the name of ${candidates.length} ${kind} of the service: add the id of the one that is meant`;
        faults.push(...named.map((each) => faultAt(each, "name", message)));
        continue;
      }
      claim(resource, row);
      const { file } = resource.source;
      notes.push(
        `${file} stands for an existing ${KIND_WORDS[kind]} of its name. \`swarmbase pull\` adds its id to the file.`,
      );
    }
  }
  const matches = resources.map((resource) => {
    const row = found.get(resource) ?? null;
    return { resource, row, id: row?.id ?? deriveId(ownerId, resource.kind, resource.key) };
  });
  return { matches, unmatched: [...free.values()], notes, faults };
}

function nameOf({ name }: JsonObject): string {
  return typeof name === "string" ? name.trim() : "";
}

function faultAt({ source }: Resource, field: string, message: string): FileFault {
  return { file: source.file, line: source.lineOf([field]), path: [field], message };
}
