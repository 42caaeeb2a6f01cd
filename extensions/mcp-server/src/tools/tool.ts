import type { CallToolResult, InputRequiredResult, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type { ApiKeyScope } from "@swarmbase/sdk";
import type { Caller } from "../caller.ts";

export interface ToolCall {
  readonly caller: Caller;
  readonly request: ServerContext["mcpReq"];
  /** The id of the message that the call stores; null without a session. */
  readonly messageId: string | null;
  /** The client can show its user the form of a question. */
  readonly showsForms: boolean;
  /** The client can ask its user to open an address. */
  readonly opensUrls: boolean;
}

export type ToolResult = CallToolResult | InputRequiredResult;
type JsonObjectSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scopes that an API key needs; a key without them does not see the tool. */
  readonly scopes: readonly ApiKeyScope[];
  readonly annotations: ToolAnnotations;
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema: JsonObjectSchema;
  /** The input satisfies the schema. */
  run(input: Readonly<Record<string, never>>, call: ToolCall): Promise<ToolResult>;
}

/** Types `run` by the input that the schema describes. */
export function defineTool<Input extends object>(
  definition: Omit<ToolDefinition, "run"> & { run(input: Input, call: ToolCall): Promise<ToolResult> },
): ToolDefinition {
  return definition as unknown as ToolDefinition;
}

/** Changes nothing. */
export const READ_ONLY: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Adds something with each call, and deletes nothing. */
export const ADDITIVE: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };

/** An object without further members. */
export function object(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): JsonObjectSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

const COLUMN_SCHEMAS: Readonly<Record<string, object>> = {
  "": { type: "string" },
  "?": { type: ["string", "null"] },
  "#": { type: "integer" },
  "*": {},
};

/** Columns and their schema. */
export interface Row {
  readonly select: string;
  readonly schema: JsonObjectSchema;
}

/** A row, from names with a mark: `?` may be null, `#` is a number, `*` is any value, others are texts. */
export function row(columns: string): Row {
  const entries = columns.split(" ").map((column): [string, object] => {
    const [, name = "", mark = ""] = /^(\w+)(.?)$/.exec(column) ?? [];
    return [name, COLUMN_SCHEMAS[mark] ?? {}];
  });
  return { select: entries.map(([name]) => name).join(","), schema: object(Object.fromEntries(entries)) };
}

const ID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
export const list = (items: unknown): object => ({ type: "array", items });
export const id = (description: string): object => ({ type: "string", pattern: ID_PATTERN, description });
export const text = (description: string, maxLength: number): object => ({
  type: "string",
  minLength: 1,
  maxLength,
  description,
});
export const LIMIT = { type: "integer", minimum: 1, maximum: 50, default: 20, description: "How many rows to return" };

/** A value with a schema, and the same as text for models that read only text. */
export function structured(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}
