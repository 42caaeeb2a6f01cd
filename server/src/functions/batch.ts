import { z } from "zod";
import { AppError, renderError } from "../errors/index.ts";
import { RawJson, readJson, stringifyMembers } from "../json/index.ts";
import type { RestAnswer, RestCall, RestModule } from "../rest/index.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionCall, FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";
import { JSON_TYPE, readExactBody } from "./read-exact-body.ts";

const MAX_OPERATIONS = 100;
const PREFIX = "/rest/v1";

const operationSchema = z.object({
  method: z.enum(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"]),
  /** The path below `/rest/v1`. */
  path: z.string().startsWith("/", "must begin with /").max(65_536),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
});
const batchSchema = z.object({ operations: z.array(operationSchema).min(1).max(MAX_OPERATIONS) });

type Operation = z.infer<typeof operationSchema>;

export const BATCH = {
  name: "batch",
  access: "bearer",
  keyScope: "checked",
  limit: "api",
  isBodyRaw: true,
  body: batchSchema,
} as const satisfies FunctionDescription;

/** Runs several table operations in one transaction: all of them, or none. */
export function createBatch(rest: RestModule): NamedFunction {
  return defineFunction(BATCH, async (call) => {
    const { operations } = parseFunctionBody(batchSchema, { body: readExactBody(call), warn: call.warn });
    const [first, ...others] = operations.map((operation) => toRestCall(operation, call));
    if (first === undefined) throw new Error("a batch without operations passed its check");
    const { answers, onSent } = await rest.answerBatch([first, ...others]);
    const results = new RawJson(`[${answers.map(renderResult).join(",")}]`);
    return { status: 200, body: { results }, onSent };
  });
}

function toRestCall({ method, path, headers, body }: Operation, { principal, headers: own }: FunctionCall): RestCall {
  const [before = "", ...after] = path.split("?");
  return {
    input: {
      method,
      path: before,
      search: after.join("?"),
      headers: { ...own, ...lowerCase(headers) },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      contentType: body === undefined ? null : JSON_TYPE,
    },
    path: PREFIX + before,
    principal,
  };
}

/** The headers that one operation can set. Authentication is common to all operations. */
const OPERATION_HEADERS: ReadonlySet<string> = new Set([
  "prefer",
  "accept",
  "accept-profile",
  "content-profile",
  "range",
]);

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const foreign = Object.keys(lowered).find((name) => !OPERATION_HEADERS.has(name));
  if (foreign !== undefined) {
    const accepted = [...OPERATION_HEADERS].join(", ");
    throw new AppError("VALIDATION_ERROR", "An operation has a header that operations cannot have", {
      details: { [`headers.${foreign}`]: `must be one of ${accepted}` },
    });
  }
  return Object.fromEntries([...OPERATION_HEADERS].map((name) => [name, lowered[name]]));
}

function renderResult(answer: RestAnswer | AppError): string {
  if (answer instanceof AppError) {
    const { status, headers, body } = renderError(answer);
    return stringifyMembers({ status, headers, body: new RawJson(body) });
  }
  const { status, headers, body } = answer;
  return stringifyMembers({ status, headers, body: body === null ? null : embedBody(answer, body) });
}

/** JSON is embedded as JSON, and every other media type as text. */
function embedBody({ headers, isJson = false }: RestAnswer, body: string | Buffer): unknown {
  const text = body.toString();
  if (!/[/+]json\b/.test(String(headers["content-type"]))) return text;
  // A function can declare any text as JSON.
  return isJson || readJson(text).fault === null ? new RawJson(text) : text;
}
