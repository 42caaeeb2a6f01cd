import {
  fromJsonSchema,
  type JsonSchemaType,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from "@modelcontextprotocol/server";
import { AppError, readRows } from "swarmbase/extension";
import type { Caller } from "../caller.ts";
import { decideAndFollow, type Decision } from "../decide-and-follow.ts";
import { renderToolError, toToolError } from "../errors.ts";
import { renderRun, RUN_SCHEMA } from "../render-run.ts";
import { ASK_TOOLS } from "./ask-tools.ts";
import { listTool } from "./list-tool.ts";
import { READ_TOOLS } from "./read-tools.ts";
import { defineTool, id, object, row, text, type ToolCall, type ToolDefinition, type ToolResult } from "./tool.ts";

const MAX_REASON_CHARACTERS = 1_000;

const APPROVAL = {
  ...row("tool_execution_id run_id swarm_id agent_id? agent_name? tool_name input* question* expires_at?"),
  select:
    "tool_execution_id:id,run_id,swarm_id,agent_id,tool_name,expires_at,...agent_cards(agent_name:name),...tool_execution_payloads(input,question)",
};

const APPROVAL_TOOLS: readonly ToolDefinition[] = [
  listTool({
    name: "approvals",
    description: "Lists the tool calls that wait for your approval or answer, newest first.",
    row: APPROVAL,
    table: "tool_executions",
    idColumn: "tool_execution_id",
    filter: () => ({ status: "eq.pending_approval", may_decide: "is.true" }),
  }),
  defineTool<Decision>({
    name: "decide_approval",
    title: "Approve or deny a tool call",
    description:
      "Approves, denies or answers a tool call that waits for you, and returns the run when it has ended or waits again. Decide only as the user has said.",
    scopes: ["run", "approve"],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    inputSchema: object(
      {
        tool_execution_id: id("The call, see list_approvals"),
        approved: { type: "boolean", description: "Whether the tool may be called" },
        content: { type: "object", description: "The answer to the question of a tool, as its schema says" },
        reason: text("Why the call is denied, for the agent", MAX_REASON_CHARACTERS),
      },
      ["tool_execution_id", "approved"],
    ),
    outputSchema: RUN_SCHEMA,
    async run(decision, call) {
      const query = new URLSearchParams({ select: "run_id", id: `eq.${decision.tool_execution_id}` });
      const [execution] = await readRows<{ run_id: string }>(call.caller.core, "/tool_executions", query);
      if (execution === undefined) throw new AppError("NOT_FOUND", "There is no such tool call");
      return renderRun(await decideAndFollow(execution.run_id, [decision], call), call.caller);
    },
  }),
];

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
