import type { Json } from "@swarmbase/sdk";
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { TOO_DEEP } from "../model/checks.ts";
import type { Path } from "../model/json.ts";

export interface Place {
  /** Relative to the folder, with slashes. */
  readonly file: string;
  readonly line: number;
}

/** One thing that is wrong with a file. */
export interface FileFault extends Place {
  /** Empty when the fault is not one of a value. */
  readonly path: Path;
  readonly message: string;
}

export interface YamlFile {
  readonly file: string;
  readonly text: string;
  readonly document: Document;
  readonly value: Json;
  /** Of the deepest part of the path that the file has. */
  lineOf(path: Path): number;
}

export const MAX_FILE_BYTES = 1024 * 1024;
/** Enough for shared prompts; expands to nothing large. */
const MAX_ALIASES = 100;

/** Every fault of the syntax, or the value. */
export function parseYamlFile(file: string, text: string): YamlFile | readonly FileFault[] {
  const counter = new LineCounter();
  const faultAt = (offset: number, message: string): FileFault => ({
    file,
    line: counter.linePos(offset).line || 1,
    path: [],
    message,
  });
  try {
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, version: "1.2" });
    // A warning is an unresolved tag: its value would be read as something else than its author meant.
    const faults = [...document.errors, ...document.warnings].map((each) => faultAt(each.pos[0], describe(each)));
    if (faults.length > 0) return faults;
    const value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Json;
    return { file, text, document, value, lineOf: (path) => counter.linePos(findOffset(document, path)).line || 1 };
  } catch (error) {
    return [faultAt(0, describe(error))];
  }
}

/** The parser recurses, so its stack limits the depth. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.includes("call stack") ? TOO_DEEP : message;
}

/** Of the key, so that a fault of a whole mapping is shown where the mapping is named. */
function findOffset(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(part));
      if (pair === undefined || !isPair(pair)) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === "number") {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number | null {
  const { range } = (node ?? {}) as { readonly range?: readonly number[] | null };
  return range?.[0] ?? null;
}
