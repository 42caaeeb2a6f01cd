import { isSameJson, type Json, type JsonObject } from "@swarmbase/sdk";
import { Document, isMap } from "yaml";
import { isObject } from "../model/json.ts";
import { parseYamlFile, type YamlFile } from "./yaml-file.ts";

/** Long lines stay whole, so that a changed word is a changed line and nothing else. */
const STYLE = { lineWidth: 0, indentSeq: true } as const;

export function renderFile(value: JsonObject): string {
  return new Document(value, { version: "1.2", aliasDuplicateObjects: false }).toString(STYLE);
}

/**
 * The text of the file with another value: what stays the same keeps its comments, its order and its style. A file
 * with anchors may have to be written anew.
 */
export function updateFile({ file, document, text, value: current }: YamlFile, value: JsonObject): string {
  if (isSameJson(current, value)) return text;
  const changed = document.clone();
  const update = (path: readonly string[], before: Json | undefined, after: JsonObject): void => {
    const names = Object.keys(isObject(before) ? before : {});
    for (const name of names.filter((each) => !Object.hasOwn(after, each))) changed.deleteIn([...path, name]);
    for (const [name, member = null] of Object.entries(after)) {
      const previous = isObject(before) && Object.hasOwn(before, name) ? before[name] : undefined;
      if (isSameJson(previous, member)) continue;
      const at = [...path, name];
      if (isObject(member) && isObject(previous) && isMap(changed.getIn(at, true))) update(at, previous, member);
      else changed.setIn(at, changed.createNode(member, { aliasDuplicateObjects: false }));
    }
  };
  try {
    update([], current, value);
    const updated = changed.toString(STYLE);
    const parsed = parseYamlFile(file, updated);
    if ("document" in parsed && isSameJson(parsed.value, value)) return updated;
  } catch {
    // An alias whose anchor is gone.
  }
  return renderFile(value);
}
