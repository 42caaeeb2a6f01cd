import { AppError, readRows } from "swarmbase/extension";
import { decideAndFollow, type Decision } from "../decide-calls.ts";
import { readPage } from "../read-page.ts";
import { renderRun, RUN_SCHEMA } from "../render-run.ts";
import {
  DEFAULT_LIMIT,
  defineTool,
  id,
  object,
  PAGE_INPUT,
  type PageInput,
  pageOf,
  READ_ONLY,
  row,
  structured,
  text,
  type ToolDefinition,
} from "./tool.ts";

const MAX_REASON_CHARACTERS = 1_000;
const APPROVAL = row("tool_execution_id run_id swarm_id agent_name tool_name input* expires_at?");

interface WaitingRow {
  readonly id: string;
  readonly run_id: string;
  readonly swarm_id: string;
  readonly tool_name: string;
  readonly expires_at: string;
  readonly agents: { readonly name: string };
  readonly tool_execution_payloads: { readonly input: unknown } | readonly { readonly input: unknown }[] | null;
}

export const APPROVAL_TOOLS: readonly ToolDefinition[] = [
  defineTool<PageInput>({
    name: "list_approvals",
    title: "List approvals",
    description: "Lists the tool calls of your agents that wait for your approval, newest first.",
    scopes: ["read"],
    annotations: READ_ONLY,
    inputSchema: PAGE_INPUT,
    outputSchema: pageOf("approvals", APPROVAL.schema),
    async run({ limit = DEFAULT_LIMIT, cursor }, { caller }) {
      const { rows, next } = await readPage<WaitingRow>(caller, "/tool_executions", {
        select: "id,run_id,swarm_id,tool_name,expires_at,agents!inner(name),tool_execution_payloads(input)",
        key: "id",
        limit,
        cursor,
        filters: { status: "eq.pending_approval", "agents.user_id": `eq.${caller.userId}` },
      });
      const approvals = rows.map(({ id: executionId, agents, tool_execution_payloads: payloads, ...rest }) => ({
        tool_execution_id: executionId,
        agent_name: agents.name,
        input: [payloads].flat()[0]?.input ?? null,
        ...rest,
      }));
      return structured({ approvals, next_cursor: next });
    },
  }),
  defineTool<Decision>({
    name: "decide_approval",
    title: "Approve or deny a tool call",
    description:
      "Approves or denies a tool call of one of your agents, and returns the run when it has ended or waits again. Decide only as the user has said.",
    scopes: ["run", "approve"],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    inputSchema: object(
      {
        tool_execution_id: id("The call, see list_approvals"),
        approved: { type: "boolean", description: "Whether the tool may be called" },
        reason: text("Why the call is denied, for the agent", MAX_REASON_CHARACTERS),
      },
      ["tool_execution_id", "approved"],
    ),
    outputSchema: RUN_SCHEMA,
    async run(decision, call) {
      const query = new URLSearchParams({ select: "run_id", id: `eq.${decision.tool_execution_id}` });
      const [execution] = await readRows<{ run_id: string }>(call.caller.core, "/tool_executions", query);
      if (execution === undefined) throw new AppError("NOT_FOUND", "There is no such tool call");
      return renderRun(await decideAndFollow(execution.run_id, [decision], call));
    },
  }),
];
