import { z } from "zod";
import { type Listening, type Respond, type RunRequest, toStoredKey, type ToolResult } from "../agents/index.ts";
import { type Principal, requireScope } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { isRecord, type JsonRecord } from "../json/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { readConversation } from "./conversation-body.ts";
import { defineFunction } from "./define-function.ts";
import type {
  FunctionResponse,
  FunctionCall,
  FunctionDescription,
  NamedFunction,
  WarnableCall,
} from "./function-call.ts";
import { invalidBodyError, parseFunctionBody } from "./parse-function-body.ts";
import { readIdempotencyKey } from "./read-idempotency-key.ts";
import {
  type ConversationBody,
  MAX_SEQ,
  type MessageBody,
  NUL,
  type StartBody,
  startAgentSchema,
  startConversationSchema,
  startSchema,
  type SteerBody,
  steerSchema,
  type ToolResultBody,
} from "./respond-bodies.ts";

/** The default of the column `tools.input_schema`. */
const ANY_INPUT = { type: "object", properties: {} };

export const AGENT_RESPOND = {
  name: "agent-respond",
  access: "account",
  keyScope: "checked",
  limit: "api",
  body: z.union([startSchema, startAgentSchema, startConversationSchema, steerSchema]),
} as const satisfies FunctionDescription;

/** Only a call that brings its conversation honours them; of the agent of somebody else, every call is rejected. */
const OVERRIDES = ["system_prompt", "framework", "model", "settings", "agent_version"];

/** Starts a run in which the agents of a swarm answer, and controls it. */
export function createAgentRespond(respond: Respond): NamedFunction {
  return defineFunction(AGENT_RESPOND, async (call) => {
    try {
      return await (isSteering(call.body)
        ? steer(respond, call, parseFunctionBody(steerSchema, call))
        : start(respond, call, readStartBody(call)));
    } finally {
      // A run can take minutes, and each of its answers is counted.
      await call.showRateLimitState();
    }
  });
}

function isSteering(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.hasOwn(body, "action");
}

function readStartBody(call: WarnableCall): StartBody {
  const { swarm_id: swarmId, agent_id: agentId, messages } = isRecord(call.body) ? call.body : {};
  if (!isAbsent(messages) && isAbsent(agentId)) throw invalidBodyError({ messages: "needs agent_id" });
  if (isAbsent(agentId)) return parseFunctionBody(startSchema, call);
  if (!isAbsent(swarmId)) throw invalidBodyError({ agent_id: "cannot be combined with swarm_id" });
  if (isAbsent(messages)) return parseFunctionBody(startAgentSchema, call);
  if (isRecord(call.body) && !isAbsent(call.body["message"]))
    throw invalidBodyError({ messages: "cannot be combined with message" });
  return parseFunctionBody(startConversationSchema, call);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function start(respond: Respond, call: FunctionCall, body: StartBody): Promise<FunctionResponse> {
  const { headers, signal } = call;
  requireScope(call.principal, "run");
  const principal = requireUser(actFor(call.principal, body.user_id));
  const request: RunRequest = {
    ...readTarget(body),
    ...("messages" in body ? readConversationRequest(body) : readMessageRequest(body)),
    isNewConversation: "conversation" in body && body.conversation === "new",
    continuesConversation: "conversation" in body && body.conversation === "continue",
    namesOverrides: !("messages" in body) && OVERRIDES.some((name) => !isAbsent((call.body as JsonRecord)[name])),
    maxTurns: body.max_turns ?? null,
    responseSchema: body.response_schema ?? null,
    clientTools: (body.client_tools ?? []).map((tool) => ({ ...tool, input_schema: tool.input_schema ?? ANY_INPUT })),
    toolChoice: body.tool_choice === "auto" ? null : (body.tool_choice ?? null),
    images: (body.images ?? []).map(({ name, media_type, data }) => ({ name, mediaType: media_type, data })),
    metadata: body.metadata ?? {},
    idempotencyKey: readIdempotencyKey(headers),
    fingerprint: JSON.stringify(body),
    traceparent: headers["traceparent"] ?? null,
    charge: () => call.count("ai", `user:${principal.userId}`),
  };
  return respond.start(principal, request, {
    isStreamed: body.stream ?? acceptsStream(headers),
    isReasoningWanted: body.include_reasoning === true,
    isBackground: body.background === true,
    isCancelledOnLeave: body.on_disconnect === "cancel",
    afterSeq: readLastEventId(headers),
    signal,
  });
}

type Said = Pick<
  RunRequest,
  "message" | "conversation" | "onConflict" | "replyToId" | "clientMessageId" | "regenerates"
>;

function readMessageRequest(body: MessageBody): Said {
  const { client_message_id: clientMessageId = null, regenerate } = body;
  if (regenerate === true && clientMessageId === null)
    throw invalidBodyError({ regenerate: "needs client_message_id" });
  return {
    message: body.message,
    conversation: null,
    onConflict: body.on_conflict ?? null,
    replyToId: body.reply_to_id ?? null,
    clientMessageId: regenerate === true ? null : clientMessageId,
    regenerates: regenerate === true ? clientMessageId : null,
  };
}

function readConversationRequest(body: ConversationBody): Said {
  const isContinued = body.conversation === "continue";
  const messages = isContinued ? joinAnswers(body.messages) : body.messages;
  const { message, ...conversation } = readConversation({ ...body, messages });
  return { message, conversation, onConflict: null, replyToId: null, clientMessageId: null, regenerates: null };
}

/** A stored conversation has the text before a tool call and the text after its result in one message of the agent. */
function joinAnswers(messages: ConversationBody["messages"]): ConversationBody["messages"] {
  const joined: ConversationBody["messages"] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== "assistant" || message.role !== "assistant") joined.push({ ...message });
    else {
      last.content += message.content;
      last.tool_results = [...(last.tool_results ?? []), ...(message.tool_results ?? [])];
    }
  }
  return joined;
}

function readTarget(body: StartBody): Pick<RunRequest, "swarmId" | "agentId" | "agentIds"> {
  // Other agents that were added to the private swarm do not answer.
  if ("agent_id" in body) return { swarmId: null, agentId: body.agent_id, agentIds: [body.agent_id] };
  const { swarm_id: swarmId, agent_ids: agentIds } = body;
  return { swarmId, agentId: null, agentIds: agentIds ? [...new Set(agentIds)] : null };
}

function steer(respond: Respond, call: FunctionCall, body: SteerBody): Promise<FunctionResponse> {
  const principal = actFor(call.principal, body.user_id);
  requireScope(call.principal, body.action === "approve" ? "approve" : "run");
  switch (body.action) {
    case "cancel":
      return respond.cancel(principal, body.run_id, call.signal);
    case "approve":
      return respond.decide(requireUser(principal), body.run_id, body.decisions);
    case "submit_tool_results":
      return respond.submit(requireUser(principal), body.run_id, body.results.map(toToolResult));
    case "signal": {
      const key = readIdempotencyKey(call.headers);
      return respond.signal(principal, body.run_id, {
        name: body.name,
        data: body.data ?? null,
        key: key === null ? null : toStoredKey(principal, key, JSON.stringify(body)),
      });
    }
    case "attach": {
      const listening: Listening = {
        isStreamed: body.stream ?? true,
        isReasoningWanted: body.include_reasoning === true,
        afterSeq: body.last_event_id ?? readLastEventId(call.headers),
        signal: call.signal,
      };
      return respond.attach(principal, body.run_id, listening);
    }
  }
}

/** The model reads text: a value that is no text becomes JSON. PostgreSQL stores neither null characters nor lone surrogates. */
function toToolResult({ tool_execution_id, output, error }: ToolResultBody): ToolResult {
  if (error !== undefined) return { tool_execution_id, error };
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { tool_execution_id, output: text.replaceAll(NUL, "").toWellFormed() };
}

/** The service role acts for the user that the body names; a user acts for themselves only. */
function actFor(principal: Principal, namedId: string | null | undefined): Principal {
  if (principal.role === "service_role") return { ...principal, userId: namedId ?? null };
  const userId = callerIdOf(principal);
  if (namedId && namedId !== userId) throw new AppError("FORBIDDEN", "You cannot act for another user");
  return principal;
}

function requireUser(principal: Principal): Principal & { readonly userId: string } {
  const { userId } = principal;
  if (userId === null) throw invalid({ user_id: "is required with the service role" });
  return { ...principal, userId };
}

function acceptsStream(headers: FunctionCall["headers"]): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:;|,|$)/i.test(headers["accept"] ?? "");
}

function readLastEventId({ "last-event-id": text = "" }: FunctionCall["headers"]): number {
  if (text === "") return 0;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (value > MAX_SEQ) throw invalid({ "Last-Event-ID": "must be the id of an event" });
  return value;
}

function invalid(details: Record<string, string>): AppError {
  return new AppError("VALIDATION_ERROR", "The request is not valid", { details });
}
