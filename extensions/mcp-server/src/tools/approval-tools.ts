import { AppError, readRows } from "swarmbase/extension";
import { decideAndFollow, type Decision } from "../decide-calls.ts";
import { renderRun, RUN_SCHEMA } from "../render-run.ts";
import { listTool } from "./list-tool.ts";
import { defineTool, id, object, row, text, type ToolDefinition } from "./tool.ts";

const MAX_REASON_CHARACTERS = 1_000;
const APPROVAL = {
  ...row("tool_execution_id run_id swarm_id agent_id? agent_name? tool_name input* question* expires_at?"),
  select:
    "tool_execution_id:id,run_id,swarm_id,agent_id,tool_name,expires_at,...agent_cards(agent_name:name),...tool_execution_payloads(input,question)",
};

export const APPROVAL_TOOLS: readonly ToolDefinition[] = [
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
