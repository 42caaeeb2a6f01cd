import { hash } from "node:crypto";
import { apiKeyIdOf, type Principal, readsAll, type PrincipalForUser } from "../../db/index.ts";
import { parseTraceparent } from "../../observe/index.ts";
import type { RunRequest } from "./run-request.ts";
import type { Conversation } from "./conversation.ts";
import type { AdmissionCall } from "./sql/admit-runs.ts";

/** As the database stores it. */
export interface IdempotencyKey {
  readonly idempotency_key: string;
  readonly request_hash: string;
}

/** The call without what depends on the swarm. */
export function toAdmissionCall(newId: () => string, principal: PrincipalForUser, request: RunRequest): AdmissionCall {
  const { idempotencyKey, conversation } = request;
  const key = idempotencyKey === null ? null : toStoredKey(principal, idempotencyKey, request.fingerprint);
  return {
    run_id: newId(),
    sent_id: newId(),
    swarm_id: request.swarmId,
    agent_id: request.agentId,
    conversation: conversation && {
      history: conversation.history,
      tool_results: conversation.toolResults ?? [],
      are_results_alone: conversation.areResultsAlone ?? false,
      is_stored: conversation.isStored,
    },
    agent_version: conversation?.agentVersion ?? null,
    is_new_conversation: request.isNewConversation,
    started_by: request.origin?.startedBy ?? null,
    cause: request.origin?.cause ?? null,
    changes_agent:
      request.namesOverrides ||
      request.responseSchema !== null ||
      (conversation !== null && changesAgent(conversation)),
    has_client_tools: request.clientTools.length > 0,
    user_id: principal.userId,
    is_service: principal.role === "service_role",
    api_key_id: apiKeyIdOf(principal),
    session_id: principal.scopes === undefined ? (principal.session?.sessionId ?? null) : null,
    aal: principal.claims["aal"] === "aal2" ? "aal2" : "aal1",
    is_key_alone: !readsAll(principal),
    message: request.message,
    agent_ids: request.agentIds,
    reply_to_id: request.replyToId,
    mentions: [],
    metadata: request.metadata,
    client_message_id: request.clientMessageId,
    regenerates: request.regenerates,
    idempotency_key: key?.idempotency_key ?? null,
    request_hash: key?.request_hash ?? null,
    on_conflict: request.onConflict,
    request: {},
    speaker_ids: null,
    has_place: false,
    first_turn: null,
  };
}

export function changesAgent({ instructions, settings, agentVersion, overrides }: Conversation): boolean {
  return (
    Boolean(instructions) ||
    agentVersion !== null ||
    Object.keys(settings).length > 0 ||
    Object.keys(overrides).length > 0
  );
}

/** Keys of the service role on behalf of a user, and of API keys, are separate from those of the user. */
export function toStoredKey(principal: Principal, key: string, fingerprint: string): IdempotencyKey {
  const space = principal.role === "service_role" ? "service" : (apiKeyIdOf(principal) ?? "user");
  return {
    idempotency_key: `${space}:${hash("sha256", key, "hex")}`,
    request_hash: hash("sha256", fingerprint, "hex"),
  };
}

/** Stored with the run and readable by the members of the swarm. */
export function toStoredRequest(
  principal: Principal,
  {
    agentIds,
    maxTurns,
    responseSchema,
    conversation,
    clientTools,
    toolChoice,
    images,
    traceparent,
    origin,
  }: RunRequest,
  mentions: readonly string[],
): Record<string, unknown> {
  const budget = origin?.budget ?? null;
  return {
    source: origin === undefined ? "agent_respond" : "extension",
    ...(budget !== null && { budget: { max_tokens: budget.maxTokens, max_cost_usd: budget.maxCostUsd } }),
    ...(agentIds !== null && { agent_ids: agentIds }),
    ...(mentions.length > 0 && { mentions }),
    ...(maxTurns !== null && { max_turns: maxTurns }),
    ...(responseSchema !== null && { response_schema: responseSchema }),
    ...(conversation !== null && { store: conversation.isStored, settings: conversation.settings }),
    ...(conversation?.instructions && { instructions: conversation.instructions }),
    ...(conversation?.agentVersion && { agent_version: conversation.agentVersion }),
    ...(conversation !== null &&
      Object.keys(conversation.overrides).length > 0 && { overrides: conversation.overrides }),
    ...(clientTools.length > 0 && { client_tools: clientTools }),
    ...(toolChoice !== null && { tool_choice: toolChoice }),
    ...(images.length > 0 && { image_count: images.length }),
    ...(parseTraceparent(traceparent) !== null && { traceparent }),
    ...(principal.role === "service_role" && { payer_id: principal.userId }),
  };
}
