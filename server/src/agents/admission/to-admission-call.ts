import { hash } from "node:crypto";
import { apiKeyIdOf, type Principal, readsAll } from "../../db/index.ts";
import { parseTraceparent } from "../../observe/index.ts";
import type { RunRequest } from "./run-request.ts";
import type { AdmissionCall, Conversation } from "./sql/admit-runs.ts";

type UserPrincipal = Principal & { readonly userId: string };

/** The call without what depends on the swarm. */
export function toAdmissionCall(newId: () => string, principal: UserPrincipal, request: RunRequest): AdmissionCall {
  const { idempotencyKey: key, conversation } = request;
  return {
    run_id: newId(),
    sent_id: newId(),
    swarm_id: request.swarmId,
    agent_id: request.agentId,
    conversation: conversation && { history: conversation.history, is_stored: conversation.isStored },
    agent_version: conversation?.agentVersion ?? null,
    is_new_conversation: request.isNewConversation,
    changes_agent: request.namesOverrides || (conversation !== null && changesAgent(conversation)),
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
    idempotency_key: key === null ? null : `${idempotencySpaceOf(principal)}:${hash("sha256", key, "hex")}`,
    request_hash: key === null ? null : hash("sha256", request.fingerprint, "hex"),
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

/** Idempotency keys of the service role on behalf of a user, and of API keys, are separate from those of the user. */
function idempotencySpaceOf(principal: UserPrincipal): string {
  return principal.role === "service_role" ? "service" : (apiKeyIdOf(principal) ?? "user");
}

/** Stored with the run and readable by the members of the swarm. */
export function toStoredRequest(
  principal: Principal,
  { agentIds, maxTurns, responseSchema, conversation, clientTools, traceparent }: RunRequest,
  mentions: readonly string[],
): Record<string, unknown> {
  return {
    source: "agent_respond",
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
    ...(parseTraceparent(traceparent) !== null && { traceparent }),
    ...(principal.role === "service_role" && { payer_id: principal.userId }),
  };
}
