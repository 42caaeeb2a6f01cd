import { z } from "zod";
import { requireScope } from "../db/index.ts";
import type { EmitCall, Emitted } from "../webhooks/index.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { readBody } from "./read-body.ts";
import { readExactBody } from "./read-exact-body.ts";
import { readIdempotencyKey } from "./read-idempotency-key.ts";

const MAX_EVENTS = 100;

const eventSchema = z.object({
  type: z
    .string()
    .max(100)
    .refine((type) => !type.includes("\0") && type.isWellFormed(), "must be text without zero bytes"),
  data: z.record(z.string(), z.unknown()),
  user_id: z.guid().nullish(),
  swarm_id: z.guid().nullish(),
});

const bodySchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("emit"), events: z.array(eventSchema).min(1).max(MAX_EVENTS) }),
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
}

/** Emits events of the app. */
export function createEvents({ emit }: EventPorts): NamedFunction {
  return defineFunction(EVENTS, async (call) => {
    const { principal, headers, warn } = call;
    const sent = readExactBody(call);
    readBody(bodySchema, { body: sent, warn });
    requireScope(principal, "write");
    // As it was sent: the checked value lacks members that are named like those of a prototype.
    const { events } = sent as Pick<EmitCall, "events">;
    const { ids, isReplay } = await emit({ principal, events, key: readIdempotencyKey(headers) });
    return { status: 200, body: { ids }, ...(isReplay && { headers: { "idempotent-replayed": "true" } }) };
  });
}
