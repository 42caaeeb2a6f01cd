import type { Json, JsonObject } from "@swarmbase/sdk";
import { anyValue, type ValueFault, within } from "../model/checks.ts";
import { FIELDS } from "../model/fields.ts";
import { isObject, memberOf } from "../model/json.ts";
import { KEY, KEY_RULE, UUID } from "../model/keys.ts";
import type { Kind } from "../model/kinds.ts";
import type { FileFault, YamlFile } from "./yaml-file.ts";

/** A resource as its file describes it. */
export interface Resource {
  readonly kind: Kind;
  readonly key: string;
  /** The row that the key stood for before it was in a file; null when the id is derived from the key. */
  readonly id: string | null;
  /** With references, without what the file leaves out. */
  readonly given: JsonObject;
  readonly source: YamlFile;
}

const OWN_FIELDS = ["key", "id"];

/** Returns the resource, or everything that is wrong with the file. */
export function checkResource(kind: Kind, source: YamlFile): Resource | readonly FileFault[] {
  const { file, value } = source;
  const faults = isObject(value)
    ? findFaults(kind, value)
    : [{ path: [], message: `must be a mapping with the fields of the ${kind.slice(0, -1)}` }];
  if (faults.length > 0 || !isObject(value))
    return faults.map((each) => ({ file, line: source.lineOf(each.path), ...each }));
  const { key, id, ...given } = value;
  return { kind, key: key as string, id: typeof id === "string" ? id.toLowerCase() : null, given, source };
}

function findFaults(kind: Kind, value: JsonObject): readonly ValueFault[] {
  const fields = FIELDS[kind];
  const names = [...OWN_FIELDS, ...Object.keys(fields)];
  return [
    ...findKeyFaults(value),
    ...Object.keys(value)
      .filter((name) => !names.includes(name))
      .map((name) => ({ path: [name], message: `is unknown${suggest(name, names)}` })),
    ...Object.entries(fields).flatMap(([name, { check, isRequired, isNullable }]): readonly ValueFault[] => {
      const member = memberOf(value, name) ?? null;
      if (member === null)
        return isRequired === true && isNullable !== true ? [{ path: [name], message: "is required" }] : [];
      const unreadable = within(name, anyValue(member));
      return unreadable.length > 0 ? unreadable : within(name, check(member));
    }),
  ];
}

function findKeyFaults(value: JsonObject): readonly ValueFault[] {
  const [key, id]: (Json | undefined)[] = [memberOf(value, "key"), memberOf(value, "id")];
  return [
    ...(key === undefined ? [{ path: ["key"], message: "is required: the name that stays when others change" }] : []),
    ...(key !== undefined && !(typeof key === "string" && KEY.test(key))
      ? [{ path: ["key"], message: `must have ${KEY_RULE}` }]
      : []),
    ...(id !== undefined && id !== null && !(typeof id === "string" && UUID.test(id))
      ? [{ path: ["id"], message: "must be a UUID" }]
      : []),
  ];
}

/** A misspelt field is the most common fault of a file. */
function suggest(name: string, known: readonly string[]): string {
  const near = known.find((each) => distance(name.toLowerCase(), each) <= 2);
  return near === undefined ? `; known are ${known.join(", ")}` : `; did you mean ${near}?`;
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isEqual = one[i - 1] === other[j - 1];
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isEqual ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
