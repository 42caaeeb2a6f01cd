import { isRecord, type JsonRecord } from "../../../json/index.ts";
import type { SchemaCompiler } from "../../schemas/schema-compiler.ts";
import type { CallableTool, ToolOutcome } from "../tool-port.ts";
import { boundText } from "../output/bound-text.ts";
import { toStoredOutput } from "../output/to-stored-output.ts";

/** A tool that a call brings for its run. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonRecord;
}

export type ClientToolChoice = "required" | { readonly name: string };

const MAX_OUTPUT_CHARS = 16_000;
/** Together: each schema is compiled, and all of them are stored with the run. */
const MAX_TOTAL_BYTES = 65_536;

/** Why the tools cannot be used, by the path within the list; null when they can. The empty path is the list itself. */
export function findClientToolFault(
  schemas: SchemaCompiler,
  tools: readonly ClientTool[],
): { readonly path: string; readonly message: string } | null {
  if (Buffer.byteLength(JSON.stringify(tools)) > MAX_TOTAL_BYTES)
    return { path: "", message: `must be at most ${MAX_TOTAL_BYTES} bytes of JSON` };
  const names = new Set<string>();
  for (const [index, { name, input_schema: schema }] of tools.entries()) {
    if (names.has(name)) return { path: `.${index}.name`, message: "is the name of another tool of this call" };
    names.add(name);
    if (schema["type"] !== "object") return { path: `.${index}.input_schema.type`, message: 'must be "object"' };
    const compiled = schemas.compile(schema);
    if (!compiled.ok) return { path: `.${index}.input_schema`, message: compiled.fault };
  }
  return null;
}

/** The tools in the stored request of a run, as the model can call them. */
export function clientToolsOf(request: JsonRecord): readonly CallableTool[] {
  const tools = request["client_tools"];
  if (!Array.isArray(tools)) return [];
  return tools.filter(isRecord).map((tool) => ({
    ...(tool as unknown as ClientTool),
    id: null,
    owner_id: null,
    kind: "client",
    config: {},
    configuration: {},
    requires_approval: false,
    timeout_ms: 0,
    max_output_chars: MAX_OUTPUT_CHARS,
    max_retries: 0,
    idempotent: false,
    approver: null,
    acts_for_starter: false,
    secrets_wrapped: null,
  }));
}

interface SubmittedResult {
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } | null;
  readonly duration_ms: number | null;
  readonly output: unknown;
}

/** The result that a client has submitted, with the same limits as the result of any other tool. */
export function toClientOutcome({ error, duration_ms, output }: SubmittedResult, maxOutputChars: number): ToolOutcome {
  const durationMs = duration_ms ?? 0;
  if (error !== null) {
    const { code, message, retryable } = error;
    return { status: "failed", error: { code, message, retryable }, attempts: 1, durationMs };
  }
  const { text, chars, isTruncated } = boundText(typeof output === "string" ? output : "", maxOutputChars);
  return {
    status: "succeeded",
    output: toStoredOutput(text),
    text: text === "" ? "[empty result]" : text,
    outputChars: chars,
    isTruncated,
    attempts: 1,
    durationMs,
  };
}
