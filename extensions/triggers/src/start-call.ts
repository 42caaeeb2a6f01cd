import type { ExtensionContext, Query, RunStart, RunStartAnswer } from "swarmbase/extension";
import { renderMessage } from "./message/render-message.ts";
import { type CallChange, type CallRow, changeCall, countFailure } from "./sql/call-row.ts";
import type { LockedTrigger } from "./sql/trigger-row.ts";

/** What the trigger cannot get over by itself: whoever it belongs to may not start this run any more. */
const ENDS: ReadonlySet<string> = new Set([
  "UNAUTHORIZED",
  "FORBIDDEN",
  "PERMISSION_DENIED",
  "INSUFFICIENT_SCOPE",
  "API_KEY_NOT_ALLOWED",
  "AGENT_NOT_FOUND",
  "SWARM_NOT_FOUND",
]);

export type StartableCall = Pick<CallRow, "id" | "text" | "depth">;

/** Starts the run of a stored call, in the same transaction. The key of the run is the call, so a call starts one run. */
export async function startCall(
  { startRun }: Pick<ExtensionContext, "startRun">,
  query: Query,
  trigger: LockedTrigger,
  call: StartableCall,
): Promise<RunStartAnswer> {
  const answer = await startRun(trigger.user_id, toRunStart(trigger, call), `call ${call.id}`, query);
  await changeCall(query, call.id, changeAfterStart(trigger, answer));
  if (answer.outcome === "rejected") await countFailure(query, trigger.id, ENDS.has(answer.code) ? answer.code : null);
  return answer;
}

function toRunStart(trigger: LockedTrigger, { id: callId, text, depth }: StartableCall): RunStart {
  const { id, agent_id: agentId, swarm_id: swarmId, message, conversation, api_key_id: apiKeyId } = trigger;
  const maxTokens = trigger.max_tokens === null ? null : Number(trigger.max_tokens);
  const maxCostUsd = trigger.max_cost_usd === null ? null : Number(trigger.max_cost_usd);
  return {
    agentId,
    swarmId,
    message: renderMessage(message, JSON.parse(text), callId),
    conversation,
    apiKeyId,
    cause: { type: "trigger", id, call_id: callId, depth },
    outside: { allowedTools: trigger.allowed_tools },
    budget: maxTokens === null && maxCostUsd === null ? null : { maxTokens, maxCostUsd },
  };
}

function changeAfterStart({ now }: LockedTrigger, answer: RunStartAnswer): CallChange {
  const nothing = { error: null, run_id: null, swarm_id: null, retry_at: null, finished_at: null };
  switch (answer.outcome) {
    case "started":
      return { ...nothing, status: "started", run_id: answer.runId, swarm_id: answer.swarmId };
    case "limited": {
      const { code, message, retryAfterSeconds } = answer;
      const retryAt = new Date(now.getTime() + retryAfterSeconds * 1_000);
      return { ...nothing, status: "waiting", error: { code, message }, retry_at: retryAt };
    }
    case "rejected": {
      const { code, message } = answer;
      return { ...nothing, status: "rejected", error: { code, message }, finished_at: now };
    }
  }
}
