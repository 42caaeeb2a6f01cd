import { randomUUID } from "node:crypto";
import type { AdmissionCall, FirstTurnPlan } from "../../../src/agents/admission/sql/admit-runs.ts";
import type { NumberedStep, RunAdvance } from "../../../src/agents/writer/sql/advance-runs.ts";
import type { NewSwarm } from "./run-stage.ts";

export const NODE = { owner: "node", leaseMs: 30_000, queueLimit: 3 };

export type TurnCall = AdmissionCall & { readonly swarm_id: string; readonly first_turn: FirstTurnPlan };

/** A call to a swarm with a planned first turn. */
export function callTo({ swarmId, ownerId, agentIds }: NewSwarm, more: Partial<AdmissionCall> = {}): TurnCall {
  return {
    run_id: randomUUID(),
    sent_id: randomUUID(),
    agent_id: null,
    conversation: null,
    agent_version: null,
    is_new_conversation: false,
    started_by: null,
    cause: null,
    changes_agent: false,
    has_client_tools: false,
    user_id: ownerId,
    is_service: false,
    api_key_id: null,
    session_id: null,
    aal: null,
    is_key_alone: false,
    message: "hello",
    agent_ids: null,
    reply_to_id: null,
    mentions: [],
    metadata: { a: 1 },
    client_message_id: null,
    regenerates: null,
    idempotency_key: null,
    request_hash: "00",
    on_conflict: null,
    request: { source: "agent_respond" },
    speaker_ids: null,
    has_place: true,
    ...more,
    swarm_id: more.swarm_id ?? swarmId,
    first_turn: {
      turn_id: randomUUID(),
      message_id: randomUUID(),
      agent_id: agentIds[0] ?? "",
      speaker_ids: agentIds,
      default_models: { provider_a: "scripted" },
      history_limit: 51,
      ...more.first_turn,
    },
  };
}

/** The last steps of a run whose first turn started with it. */
export function endSteps(call: TurnCall, seq: number, content = "hi there"): NumberedStep[] {
  return [
    {
      op: "finish_turn",
      turn_id: call.first_turn.turn_id,
      agent_id: call.first_turn.agent_id,
      status: "completed",
      finish_reason: "stop",
      content,
      data: null,
      metadata: {},
      error: null,
      warnings: [{ setting: "top_p", message: "not sent" }],
      attempts: 2,
      framework: "provider_a",
      model: "scripted",
      first_token_ms: 5,
      duration_ms: 9,
      usage: {
        input_tokens: 10,
        cached_input_tokens: 4,
        output_tokens: 3,
        reasoning_tokens: 1,
        cost_usd: 0.000012,
        estimated: false,
      },
      model_calls: [],
      payer_id: call.user_id,
      seq,
    },
    { op: "finish_run", status: "completed", stop_reason: "all_replied", error: null, seq: seq + 5 },
  ];
}

export function endOf(call: TurnCall, content = "hi there"): RunAdvance {
  const { run_id: runId, swarm_id: swarmId, first_turn: turn } = call;
  const data = { run_id: runId, swarm_id: swarmId, turn_id: turn.turn_id, first_seq: 5, deltas: [content] };
  return {
    hold: { runId, swarmId, fence: 1 },
    steps: endSteps(call, 6, content),
    events: [{ seq: 5, type: "message.delta", agent_id: turn.agent_id, restricted: false, data }],
    isRepeated: false,
  };
}
