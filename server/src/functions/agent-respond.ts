import { z } from "zod";
import type { Listening, Respond, RunRequest } from "../agents/index.ts";
import type { Principal } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionResponse, FunctionCall, FunctionDescription, NamedFunction } from "./function-call.ts";
import { readBody } from "./read-body.ts";

const MAX_MESSAGE_CHARACTERS = 32_000;
/** Less than the column allows, because numbers and spaces can take more bytes there. */
const MAX_METADATA_BYTES = 32_000;
const MAX_METADATA_DEPTH = 32;
const MAX_AGENTS = 100;
const MAX_DECISIONS = 50;
const MAX_SEQ = 2_147_483_647;

const NUL = "\u0000";
const id = z.guid().transform((text) => text.toLowerCase());
const seq = z.number().int().min(0).max(MAX_SEQ);
const text = (max: number) =>
  z
    .string()
    // Counts characters as the database does; a text that is far too long is not scanned.
    .refine((value) => value.length <= max * 2 && countCharacters(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes(NUL) && value.isWellFormed(), "must be text without zero bytes");
const metadata = z
  .record(z.string(), z.unknown())
  .refine(isStorable, "must be JSON of at most 32,000 bytes and 32 levels");

const startSchema = z.object({
  swarm_id: id,
  message: text(MAX_MESSAGE_CHARACTERS).refine((value) => value.trim() !== "", "must not be empty"),
  agent_ids: z.array(id).min(1).max(MAX_AGENTS).nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  include_reasoning: z.boolean().nullish(),
  on_conflict: z.enum(["enqueue", "reject", "interrupt"]).nullish(),
  on_disconnect: z.enum(["continue", "cancel"]).nullish(),
  max_turns: z.number().int().min(1).max(50).nullish(),
  reply_to_id: id.nullish(),
  client_message_id: text(255)
    .refine((value) => value !== "", "must not be empty")
    .nullish(),
  metadata: metadata.nullish(),
  /** Required with the service role, which has no user. */
  user_id: id.nullish(),
});

const steerSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("cancel"), run_id: id, user_id: id.nullish() }),
  z.object({
    action: z.literal("approve"),
    run_id: id,
    user_id: id.nullish(),
    decisions: z
      .array(z.object({ tool_execution_id: id, approved: z.boolean(), reason: text(1_000).optional() }))
      .min(1)
      .max(MAX_DECISIONS),
  }),
  z.object({
    action: z.literal("attach"),
    run_id: id,
    user_id: id.nullish(),
    last_event_id: z
      .union([
        seq,
        z
          .string()
          .regex(/^\d{1,10}$/)
          .transform(Number)
          .pipe(seq),
      ])
      .nullish(),
    stream: z.boolean().nullish(),
    include_reasoning: z.boolean().nullish(),
  }),
]);

type StartBody = z.infer<typeof startSchema>;
type SteerBody = z.infer<typeof steerSchema>;

export const AGENT_RESPOND = {
  name: "agent-respond",
  access: "account",
  limit: "api",
  body: z.union([startSchema, steerSchema]),
} as const satisfies FunctionDescription;

/** Starts a run in which the agents of a swarm answer, and controls it. */
export function createAgentRespond(respond: Respond): NamedFunction {
  return defineFunction(AGENT_RESPOND, async (call) => {
    try {
      return await (isSteering(call.body)
        ? steer(respond, call, readBody(steerSchema, call))
        : start(respond, call, readBody(startSchema, call)));
    } finally {
      // A run can take minutes, and each of its answers is counted.
      await call.showRateLimitState();
    }
  });
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether the database can store the value as JSON: small, not too deep, without NUL and lone surrogates. */
function isStorable(value: unknown): boolean {
  if (!isShallow(value, MAX_METADATA_DEPTH)) return false;
  const json = JSON.stringify(value);
  return Buffer.byteLength(json) <= MAX_METADATA_BYTES && !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

function isSteering(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.hasOwn(body, "action");
}

function start(respond: Respond, call: FunctionCall, body: StartBody): Promise<FunctionResponse> {
  const { headers, signal } = call;
  const principal = requireUser(actFor(call.principal, body.user_id));
  const request: RunRequest = {
    swarmId: body.swarm_id,
    message: body.message,
    agentIds: body.agent_ids ? [...new Set(body.agent_ids)] : null,
    onConflict: body.on_conflict ?? null,
    maxTurns: body.max_turns ?? null,
    replyToId: body.reply_to_id ?? null,
    clientMessageId: body.client_message_id ?? null,
    metadata: body.metadata ?? {},
    idempotencyKey: readIdempotencyKey(headers["idempotency-key"]),
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

function steer(respond: Respond, call: FunctionCall, body: SteerBody): Promise<FunctionResponse> {
  const principal = actFor(call.principal, body.user_id);
  switch (body.action) {
    case "cancel":
      return respond.cancel(principal, body.run_id, call.signal);
    case "approve":
      return respond.decide(requireUser(principal), body.run_id, body.decisions);
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

/** The service role acts for the user that the body names; a user acts for themselves only. */
function actFor(principal: Principal, namedId: string | null | undefined): Principal {
  if (principal.role === "service_role") return { ...principal, userId: namedId ?? null };
  const userId = callerIdOf(principal);
  if (namedId && namedId !== userId) throw new AppError("FORBIDDEN", "You cannot speak for another user");
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

function readIdempotencyKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (key.length === 0 || key.length > 255) throw invalid({ "Idempotency-Key": "must have 1 to 255 characters" });
  return key;
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
