import type { OpenApiDocument, Operation, Schema } from "@swarmbase/reference";
import { renderImports } from "./known-lists.ts";
import { nameOfReference, renderDeclaration, renderMember } from "./render-schema-type.ts";

const HEADER = `// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.\n`;
const FOLDER = "clients/sdk/src/function-types";
const FUNCTION_PATH = "/functions/v1/";
const STREAM_ITEM = "RunStreamItem";
/** Has as many forms as all other functions together, so its bodies and answers have files of their own. */
const RUN_FUNCTION = "agent-respond";
/** The function with the most forms after it. */
const TOOL_FUNCTION = "tools";
const BODY_FILES = ["run-bodies", "tool-bodies", "bodies"] as const;

/** The schemas of each file of answers, by name. */
type AnswerFiles = ReadonlyMap<string, ReadonlyMap<string, Schema>>;

interface DescribedFunction {
  /** As it is called: `agent-respond`. */
  readonly name: string;
  readonly operation: Operation;
}

/** The files of clients/sdk/src/function-types, by path: answers and bodies in several files, stream events, codes of errors, and the table of all functions. */
export function renderFunctionTypes(document: OpenApiDocument): Map<string, string> {
  const functions = Object.entries(document.paths).flatMap(([path, { post }]) =>
    path.startsWith(FUNCTION_PATH) && post !== undefined
      ? [{ name: path.slice(FUNCTION_PATH.length), operation: post }]
      : [],
  );
  const events = document.components.schemas[STREAM_ITEM]?.oneOf ?? [];
  const answersIn = (described: readonly DescribedFunction[]): Schema[] =>
    described.flatMap(({ operation }) => answersOf(operation));
  // Those of tools are here too, because the other functions have enough for a file of their own.
  const ofRuns = collectNamed(document, [
    ...answersIn(functions.filter(({ name }) => fileOf(name) !== "bodies")),
    ...events,
  ]);
  const others = collectNamed(document, answersIn(functionsOf("bodies", functions)));
  const named: AnswerFiles = new Map([
    ["run-answers", ofRuns],
    ["answers", new Map([...others].filter(([name]) => !ofRuns.has(name)))],
  ]);
  const files = new Map<string, string>();
  const add = (name: string, body: string): void => {
    const imports =
      renderImports(withoutComments(body)) + renderOwnImports(name, withoutComments(body), named, functions);
    files.set(`${FOLDER}/${name}.ts`, `${HEADER}${imports}${imports === "" ? "" : "\n"}${body}`);
  };
  for (const [file, schemas] of named)
    add(file, [...schemas].map(([name, schema]) => renderDeclaration(name, schema, "received")).join("\n"));
  for (const file of BODY_FILES) add(file, functionsOf(file, functions).map(renderBodies).join("\n"));
  add("stream-events", renderStreamEvents(events));
  add("codes", renderCodes(functions, document));
  add("functions", renderTable(functions));
  return files;
}

function functionsOf(
  file: (typeof BODY_FILES)[number],
  functions: readonly DescribedFunction[],
): readonly DescribedFunction[] {
  return functions.filter(({ name }) => fileOf(name) === file);
}

function fileOf(name: string): (typeof BODY_FILES)[number] {
  if (name === RUN_FUNCTION) return "run-bodies";
  return name === TOOL_FUNCTION ? "tool-bodies" : "bodies";
}

function renderBodies({ name, operation }: DescribedFunction): string {
  const body = bodyOf(operation);
  const whole = `${toTypeName(name)}Body`;
  if (body.oneOf === undefined) return renderDeclaration(whole, body, "sent");
  const forms = body.oneOf.map((form) => ({ ...form, name: `${toTypeName(name)}${toTypeName(form.title ?? "")}Body` }));
  const union: Schema = { oneOf: forms.map((form) => ({ $ref: form.name })) };
  return [
    ...forms.map((form) => renderDeclaration(form.name, form, "sent")),
    renderDeclaration(whole, union, "sent"),
  ].join("\n");
}

function renderStreamEvents(events: readonly Schema[]): string {
  const members = events.map(({ properties = {} }) => {
    const { event, data } = properties;
    return renderMember(toKey(String(event?.const)), data ?? {}, "received", "  ");
  });
  return `/** The data of each event of a run's stream. */\nexport interface RunStreamEventData {\n${members.join("")}}\n`;
}

const COMMON_CODE = "CommonCode";

/** The table of functions has a line for each. */
const CODES = "FunctionCodes";

function renderCodes(functions: readonly DescribedFunction[], document: OpenApiDocument): string {
  const [first = [], ...others] = functions.map(({ operation }) => codesOf(operation, document));
  const common = first.filter((code) => others.every((codes) => codes.includes(code)));
  const rows = functions.map(({ name, operation }) => {
    const own = codesOf(operation, document).filter((code) => !common.includes(code));
    const codes: Schema = { oneOf: [{ $ref: `#/${COMMON_CODE}` }, ...own.map((code) => ({ const: code }))] };
    return renderMember(toKey(name), codes, "received", "  ");
  });
  const shared = `/** The codes of errors that every function can answer with. */\ntype ${COMMON_CODE} =\n${common.map((code) => `  | "${code}"`).join("\n")};\n\n`;
  return `${shared}/** The codes of errors of each function. */\nexport interface ${CODES} {\n${rows.join("")}}\n`;
}

function renderTable(functions: readonly DescribedFunction[]): string {
  const rows = functions.map(({ name, operation }) => {
    const byAction = operation["x-answers-by-action"];
    const actions = Object.entries(byAction ?? {}).map(([action, schema]) =>
      renderMember(action, schema, "received", "      "),
    );
    return [
      `  ${toKey(name)}: {\n`,
      `    body: ${toTypeName(name)}Body;\n`,
      renderMember("answer", { anyOf: answersOf(operation) }, "received", "    "),
      ...(actions.length === 0 ? [] : [renderActions(actions)]),
      `    code: ${CODES}[${JSON.stringify(name)}];\n`,
      "  };\n",
    ].join("");
  });
  return `/** The functions under \`/functions/v1/\`: body, successful responses, and codes of errors. */\nexport interface FunctionTable {\n${rows.join("")}}\n`;
}

/** In one line if it fits. */
function renderActions(actions: readonly string[]): string {
  const members = actions.map((action) => action.trim()).join(" ");
  const line = `    answersByAction: { ${members.replace(/;$/, "")} };\n`;
  return line.length <= 121 && !members.includes("/*") ? line : `    answersByAction: {\n${actions.join("")}    };\n`;
}

function bodyOf({ operationId, requestBody }: Operation): Schema {
  const schema = requestBody?.content["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${operationId} has no body`);
  return schema;
}

/** The JSON of all successful responses. */
function answersOf({ responses }: Operation): Schema[] {
  const schemas = Object.entries(responses).flatMap(([status, response]) => {
    const schema = "$ref" in response ? undefined : response.content?.["application/json"]?.schema;
    return status.startsWith("2") && schema !== undefined ? (schema.anyOf ?? [schema]) : [];
  });
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function codesOf({ responses }: Operation, { components }: OpenApiDocument): string[] {
  const codes = Object.values(responses).flatMap((response) => {
    const described = "$ref" in response ? components.responses[nameOfReference(response.$ref)] : response;
    return described?.["x-error-codes"] ?? [];
  });
  return [...new Set(codes)].toSorted();
}

/** The schemas that these refer to, directly or not, except those that the events of webhooks define. */
function collectNamed({ components }: OpenApiDocument, schemas: readonly Schema[]): Map<string, Schema> {
  const named = new Map<string, Schema>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key !== "$ref") visit(value);
      else if (typeof value === "string") add(nameOfReference(value));
    }
  };
  const add = (name: string): void => {
    const schema = components.schemas[name];
    if (schema === undefined || named.has(name) || name.startsWith("Event")) return;
    named.set(name, schema);
    visit(schema);
  };
  visit(schemas);
  return new Map([...named].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Imports from the other files of the folder. */
function renderOwnImports(
  file: string,
  body: string,
  named: AnswerFiles,
  functions: readonly DescribedFunction[],
): string {
  const bodies = BODY_FILES.map((source) => {
    const names = functionsOf(source, functions).map(({ name }) => `${toTypeName(name)}Body`);
    return [source, names] as const;
  });
  const answers = [...named].map(([source, schemas]) => [source, [...schemas.keys()]] as const);
  return [...answers, ...bodies, ["codes", [CODES]] as const]
    .flatMap(([source, names]) => {
      const used = names.filter((name) => source !== file && new RegExp(`\\b${name}\\b`).test(body));
      if (used.length === 0) return [];
      const line = `import type { ${used.toSorted().join(", ")} } from "./${source}.ts";\n`;
      const lines = used.toSorted().map((name) => `  ${name},\n`);
      return [line.length <= 120 ? line : `import type {\n${lines.join("")}} from "./${source}.ts";\n`];
    })
    .join("");
}

function withoutComments(body: string): string {
  return body.replaceAll(/\/\*\*.*?\*\/|"[^"]*"/g, "");
}

function toKey(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}

function toTypeName(words: string): string {
  return words
    .split(/[\s_-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
