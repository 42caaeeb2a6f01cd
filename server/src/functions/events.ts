import { z } from "zod";
import { requireScope } from "../db/index.ts";
import type { CommitFeedCall, EmitCall, Emitted, FeedPage, ReadFeedCall } from "../webhooks/index.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, FunctionResponse, NamedFunction, WarnableCall } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";
import { readExactBody } from "./read-exact-body.ts";
import { readIdempotencyKey } from "./read-idempotency-key.ts";

const MAX_EVENTS = 100;
const MAX_READ_EVENTS = 1_000;
const MAX_WAIT_SECONDS = 30;

const storable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !text.includes("\0") && text.isWellFormed(), "must be text without zero bytes");

const eventSchema = z.object({
  type: storable(100),
  data: z.record(z.string(), z.unknown()),
  user_id: z.guid().nullish(),
  swarm_id: z.guid().nullish(),
});

const bodySchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("emit"), events: z.array(eventSchema).min(1).max(MAX_EVENTS) }),
  z.object({
    action: z.literal("read"),
    feed_id: z.guid(),
    after: storable(100).nullish(),
    consumer: storable(100).min(1).nullish(),
    limit: z.int().min(1).max(MAX_READ_EVENTS).default(100),
    wait_seconds: z.number().min(0).max(MAX_WAIT_SECONDS).default(0),
  }),
  z.object({
    action: z.literal("commit"),
    feed_id: z.guid(),
    consumer: storable(100).min(1),
    cursor: storable(100),
  }),
]);

export const EVENTS = {
  name: "events",
  access: "account",
  keyScope: "checked",
  limit: "api",
  isBodyRaw: true,
  body: bodySchema,
} as const satisfies FunctionDescription;

export interface EventPorts {
  emit(call: EmitCall): Promise<Emitted>;
  read(call: ReadFeedCall): Promise<FeedPage>;
  commit(call: CommitFeedCall): Promise<void>;
}

/** Emits events of the app, and reads feeds of events. */
export function createEvents(ports: EventPorts): NamedFunction {
  return defineFunction(EVENTS, async (call) => {
    const { principal, signal, warn } = call;
    const sent = readExactBody(call);
    const body = parseFunctionBody(bodySchema, { body: sent, warn });
    switch (body.action) {
      case "emit":
        return emit(ports, call, sent);
      case "read": {
        const { feed_id: feedId, after = null, consumer = null, limit, wait_seconds: waitSeconds } = body;
        const page = await ports.read({ principal, feedId, after, consumer, limit, waitSeconds, signal });
        return { status: 200, body: page };
      }
      case "commit": {
        const { feed_id: feedId, consumer, cursor } = body;
        await ports.commit({ principal, feedId, consumer, cursor });
        return { status: 200, body: { committed: cursor } };
      }
    }
  });
}

async function emit(ports: EventPorts, call: WarnableCall, sent: unknown): Promise<FunctionResponse> {
  const { principal, headers } = call;
  requireScope(principal, "write");
  // As it was sent: the checked value lacks members that are named like those of a prototype.
  const { events } = sent as Pick<EmitCall, "events">;
  const { ids, isReplay } = await ports.emit({ principal, events, key: readIdempotencyKey(headers) });
  return { status: 200, body: { ids }, ...(isReplay && { headers: { "idempotent-replayed": "true" } }) };
}
