import {
  fromJsonSchema,
  type JsonSchemaType,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Caller } from "../caller.ts";
import { renderToolError, toToolError } from "../errors.ts";
import { APPROVAL_TOOLS } from "./approval-tools.ts";
import { ASK_TOOLS } from "./ask-tools.ts";
import { READ_TOOLS } from "./read-tools.ts";
import type { ToolCall, ToolDefinition, ToolResult } from "./tool.ts";

const TOOLS: readonly ToolDefinition[] = [...READ_TOOLS, ...ASK_TOOLS, ...APPROVAL_TOOLS];
const BY_NAME = new Map(
  TOOLS.map((tool) => [tool.name, { tool, schema: fromJsonSchema(tool.inputSchema as JsonSchemaType) }]),
);

/** Tools that wait for runs: their responses are streams from the start, so that no connection is idle. */
export const STREAMED_TOOLS: ReadonlySet<string> = new Set(["ask_agent", "ask_swarm", "decide_approval"]);

/** The tools that the caller may use. */
export function listTools({ core }: Caller): Tool[] {
  return TOOLS.filter((tool) => tool.scopes.every((scope) => core.hasScope(scope))).map(
    ({ run: _run, scopes: _scopes, ...tool }) => tool as Tool,
  );
}

/** Throws the 403 of a caller without the scopes of the tool, whose challenge lets a program ask for them. */
export function requireToolScopes({ core }: Pick<Caller, "core">, name: string): void {
  for (const scope of BY_NAME.get(name)?.tool.scopes ?? []) core.requireScope(scope);
}

export async function callTool(name: string, input: Record<string, unknown>, call: ToolCall): Promise<ToolResult> {
  const found = BY_NAME.get(name);
  if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`);
  const checked = await found.schema["~standard"].validate(input);
  if (checked.issues !== undefined) {
    const message = checked.issues.map((issue) => issue.message).join("; ");
    return renderToolError({ code: "VALIDATION_ERROR", message });
  }
  try {
    // The core rejects what the scopes of the caller do not permit.
    return await found.tool.run(input as Record<string, never>, call);
  } catch (error) {
    return toToolError(call.caller, error);
  }
}
