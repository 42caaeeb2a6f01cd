import { readFile, stat } from "node:fs/promises";
import type { Json, JsonObject } from "@swarmbase/sdk";
import { FolderError } from "../files/read-folder.ts";
import { type FileFault, MAX_FILE_BYTES, parseYamlFile, type YamlFile } from "../files/yaml-file.ts";
import { anyValue, type ValueFault, within } from "../model/checks.ts";
import { isObject, memberOf, type Path } from "../model/json.ts";

/** A case as its file or its row describes it. */
interface CaseText {
  readonly name: string;
  readonly input: string;
  /** The service checks it. */
  readonly expectation: JsonObject;
}

/** A dataset in a file. JSON is YAML too. */
export interface EvalFile {
  readonly name: string;
  readonly description: string | null;
  readonly cases: readonly CaseText[];
  /** An error with the place of a member in the file. */
  faultAt(path: Path, message: string): Error;
}

const FIELDS = ["name", "description", "cases"];
const CASE_FIELDS = ["name", "input", "expectation"];

export function isEvalFile(argument: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(argument);
}

/** Throws one error with everything that is wrong with the file. */
export async function readEvalFile(path: string): Promise<EvalFile> {
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES)
    throw new FolderError([{ file: path, line: 1, path: [], message: `has more than ${MAX_FILE_BYTES} bytes` }]);
  return parseEvalFile(path, await readFile(path, "utf8"));
}

export function parseEvalFile(file: string, text: string): EvalFile {
  const source = parseYamlFile(file, text);
  if (!("document" in source)) throw new FolderError(source);
  const { value } = source;
  const faults = isObject(value) ? findFaults(value) : [{ path: [], message: "must be a mapping with name and cases" }];
  if (faults.length > 0) throw new FolderError(faults.map((fault) => place(source, fault)));
  const description = memberOf(value, "description") ?? null;
  return {
    name: memberOf(value, "name") as string,
    description: description as string | null,
    cases: (memberOf(value, "cases") as Json[]).map((each) => each as unknown as CaseText),
    faultAt: (path, message) => new FolderError([place(source, { path, message })]),
  };
}

function place(source: YamlFile, { path, message }: ValueFault): FileFault {
  return { file: source.file, line: source.lineOf(path), path, message };
}

function findFaults(value: JsonObject): readonly ValueFault[] {
  const cases = memberOf(value, "cases");
  const description = memberOf(value, "description") ?? null;
  const names = Array.isArray(cases) ? cases.map((each) => memberOf(each, "name")) : [];
  return [
    ...findUnknown(value, FIELDS),
    ...requireText(value, "name"),
    ...(description === null ? [] : requireText(value, "description")),
    ...(Array.isArray(cases) && cases.length > 0
      ? cases.flatMap((each, index) => within("cases", within(index, findCaseFaults(each))))
      : [{ path: ["cases"], message: "must be a list of at least one case" }]),
    ...names.flatMap((name, index) =>
      typeof name === "string" && names.indexOf(name) < index
        ? [{ path: ["cases", index, "name"], message: "is the name of another case" }]
        : [],
    ),
  ];
}

function findCaseFaults(value: Json): readonly ValueFault[] {
  if (!isObject(value)) return [{ path: [], message: "must be a mapping with name, input and expectation" }];
  const expectation = memberOf(value, "expectation");
  return [
    ...findUnknown(value, CASE_FIELDS),
    ...requireText(value, "name"),
    ...requireText(value, "input"),
    ...(isObject(expectation)
      ? within("expectation", anyValue(expectation))
      : [{ path: ["expectation"], message: "must be a mapping with a kind" }]),
  ];
}

function findUnknown(value: JsonObject, known: readonly string[]): readonly ValueFault[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: [name], message: `is unknown; known are ${known.join(", ")}` }));
}

function requireText(value: JsonObject, name: string): readonly ValueFault[] {
  const text = memberOf(value, name);
  if (typeof text === "string" && text.trim() !== "") return [];
  return [{ path: [name], message: "must be a text; put it in quotes if it looks like a number" }];
}
