import { isSameJson, type Json } from "@swarmbase/sdk";
import { isObject, memberOf, type Path, renderPath } from "../model/json.ts";
import { findReferences } from "../model/references.ts";
import type { Change } from "./plan.ts";

interface DiffInput {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** As the file has it, to see which values come from variables. */
  readonly raw: Json | undefined;
  isSensitive(path: Path, value: Json | undefined): boolean;
}

/** The parts that differ, by path. Lists are compared as wholes. */
export function diffValues(top: Path, { before, after, raw, isSensitive }: DiffInput): readonly Change[] {
  const compare = (path: Path, one: Json | undefined, other: Json | undefined, source: Json | undefined): Change[] => {
    if (isSameJson(one, other)) return [];
    const areObjects = isObject(one) && isObject(other);
    if (areObjects && Object.keys(one).length + Object.keys(other).length > 0) {
      const names = new Set([...Object.keys(one), ...Object.keys(other)]);
      return [...names].flatMap((name) =>
        compare([...path, name], memberOf(one, name), memberOf(other, name), memberOf(source, name)),
      );
    }
    const isSecret = hasSecret(path, one) || hasSecret(path, other) || hasReference(source);
    return [{ path: renderPath(path), before: one, after: other, isSecret }];
  };
  const hasSecret = (path: Path, value: Json | undefined): boolean => {
    if (Array.isArray(value)) return value.some((item, index) => hasSecret([...path, index], item));
    if (isObject(value)) return Object.entries(value).some(([name, member]) => hasSecret([...path, name], member));
    return isSensitive(path, value);
  };
  return compare(top, before, after, raw);
}

function hasReference(value: Json | undefined): boolean {
  if (typeof value === "string") return findReferences(value).length > 0;
  if (Array.isArray(value)) return value.some(hasReference);
  return isObject(value) && Object.values(value).some(hasReference);
}
