import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Run } from "@swarmbase/sdk";
import { renderToolError } from "./errors.ts";
import { list, object, row } from "./tools/tool.ts";

export const RUN_SCHEMA = object({
  run_id: { type: "string" },
  swarm_id: { type: "string", description: "The swarm of the conversation" },
  status: { type: "string", description: "requires_action: a tool call waits for an approval" },
  stop_reason: { type: ["string", "null"] },
  responses: list(row("agent_id? agent_name message_id content? data*").schema),
  errors: list(row("agent_id? code message").schema),
  pending_approvals: list(row("tool_execution_id tool_name agent_id? expires_at? input*").schema),
});

/** The answers as text, and the run as a value. A run in which no agent answered is an error. */
export function renderRun(run: Run): CallToolResult {
  const { run_id, swarm_id, status, stop_reason, responses, errors } = run;
  if (status === "failed" || status === "cancelled") {
    const [error] = errors;
    return renderToolError({
      code: error?.code ?? (stop_reason ?? status).toUpperCase(),
      message: error?.message ?? `The run ended without an answer: ${stop_reason}`,
      details: { run_id, swarm_id, status, stop_reason },
    });
  }
  const approvals = (run.pending_approvals ?? []).map(
    ({ tool_execution_id, tool_name, agent_id, expires_at, input = null }) => {
      return { tool_execution_id, tool_name, agent_id, expires_at, input };
    },
  );
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
    pending_approvals: approvals,
  };
  const texts = [
    ...responses.map(({ agent_name, message }) =>
      responses.length > 1 ? `${agent_name}: ${message.content}` : (message.content ?? ""),
    ),
    ...errors.map(({ code, message }) => `${code}: ${message}`),
    ...approvals.map(
      ({ tool_execution_id, tool_name, expires_at }) =>
        `The call of ${tool_name} waits for an approval until ${expires_at}: tool_execution_id ${tool_execution_id}`,
    ),
  ];
  if (texts.length === 0) texts.push(`The run has the status ${status}.`);
  return { content: texts.map((text) => ({ type: "text", text })), structuredContent: value };
}
