import type { AppEventType, EventData } from "../events.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { type CallOptions, invokeFunction } from "./invoke-function.ts";

/** An event of the app. For a user, for the members of a swarm, or without both for whoever receives the app's events. */
export interface NewAppEvent<Type extends AppEventType> {
  readonly type: Type;
  /** Typed by `AppEvents`. */
  readonly data: EventData<Type>;
  readonly user_id?: string | null;
  readonly swarm_id?: string | null;
}

export interface EmitOptions extends CallOptions {
  /** A call that is repeated with the same key emits nothing again, and returns the same ids. */
  readonly idempotencyKey?: string;
}

/** Emits up to 100 events of the app, all or none. Resolves with their ids, as the envelopes have them. */
export async function emit<const Types extends readonly AppEventType[]>(
  client: FunctionsClient,
  events: readonly [...{ [Index in keyof Types]: NewAppEvent<Types[Index]> }],
  { idempotencyKey, headers, signal }: EmitOptions = {},
): Promise<string[]> {
  const key: Record<string, string> = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const body = { action: "emit" as const, events: events.map((event) => ({ ...event })) };
  const { ids } = await invokeFunction(client, "events", body, { signal, headers: { ...headers, ...key } });
  return ids;
}
