import type { CallToolResult } from "@modelcontextprotocol/server";
import type { PendingApproval, PendingWait, Run } from "@swarmbase/sdk";
import type { Caller } from "./caller.ts";
import { renderToolError } from "./errors.ts";
import { list, object, row } from "./tools/tool.ts";

export const RUN_SCHEMA = object({
  run_id: { type: "string" },
  swarm_id: { type: "string", description: "The swarm of the conversation" },
  status: {
    type: "string",
    description: "requires_action: a tool call waits for an approval; waiting: for a time, a signal or a sub-task",
  },
  stop_reason: { type: ["string", "null"] },
  responses: list(row("agent_id? agent_name message_id content? data*").schema),
  errors: list(row("agent_id? code message").schema),
  pending_approvals: list(row("tool_execution_id tool_name agent_id? expires_at? input* question*").schema),
  pending_waits: list(row("tool_execution_id tool_name agent_id? kind name? from? until? is_at_work*").schema),
});

/** The answers as text, and the run as a value. A run in which no agent answered is an error. */
export function renderRun(run: Run, caller: Caller): CallToolResult {
  const { run_id, swarm_id, status, stop_reason, responses, errors } = run;
  if (status === "failed" || status === "cancelled") {
    const [error] = errors;
    return renderToolError({
      code: error?.code ?? (stop_reason ?? status).toUpperCase(),
      message: error?.message ?? `The run ended without an answer: ${stop_reason}`,
      details: { run_id, swarm_id, status, stop_reason },
    });
  }
  const waiting = run.pending_approvals ?? [];
  const value = {
    run_id,
    swarm_id,
    status,
    stop_reason,
    responses: responses.map(({ agent_id, agent_name, message, data }) => ({
      agent_id,
      agent_name,
      message_id: message.id,
      content: message.content,
      data,
    })),
    errors: errors.map(({ agent_id, code, message }) => ({ agent_id, code, message })),
    pending_approvals: waiting.map((call) => ({ input: null, question: null, ...call })),
    pending_waits: (run.pending_waits ?? []).map((wait) => ({ name: null, from: null, is_at_work: null, ...wait })),
  };
  const texts = [
    ...responses.map(({ agent_name, message }) =>
      responses.length > 1 ? `${agent_name}: ${message.content}` : (message.content ?? ""),
    ),
    ...errors.map(({ code, message }) => `${code}: ${message}`),
    ...waiting.map((call) => describeWaiting(call, caller.connectUrl(call))),
    ...(run.pending_waits ?? []).map(describeWait),
  ];
  if (texts.length === 0) texts.push(`The run has the status ${status}.`);
  return { content: texts.map((text) => ({ type: "text", text })), structuredContent: value };
}

function describeWaiting(
  { tool_execution_id: id, tool_name: tool, ...call }: PendingApproval,
  url: string | null,
): string {
  const { question, expires_at: until } = call;
  const what =
    question === undefined
      ? `The call of ${tool} waits for an approval`
      : url === null
        ? `${tool} asks: ${question.message} The call waits for an answer`
        : `${tool} needs an account: ${question.message} The user signs in at ${url} and the call goes on. It waits`;
  return `${what}${until === null ? "" : ` until ${until}`}: tool_execution_id ${id}`;
}

/** The answer comes later, as a message of the conversation. */
function describeWait({ kind, name, until }: PendingWait): string {
  if (kind === "sub_task") return "The run waits for a sub-task, which waits itself.";
  return kind === "event"
    ? `The run waits for the signal ${name}, at most until ${until}, and then goes on.`
    : `The run waits until ${until}, and then goes on.`;
}
