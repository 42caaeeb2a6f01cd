import { EVENT_DESCRIPTIONS, type EventType, isEventType } from "@swarmbase/sdk";
import { selectEventTypes } from "../sql/app-events.ts";
import type { WebhookTools } from "../webhook-options.ts";

/** As the database checks it; other texts, such as one with a null character, are not sent there. */
const APP_TYPE = /^app(\.[a-z][a-z0-9_]*)+$/;

interface Sampled {
  readonly type: string;
  readonly userId: string;
  /** The service role sees types that are not listed. */
  readonly isService: boolean;
}

/** The example of an event type, marked with `test`; null means that the caller sees no such type. */
export async function findSampleEvent(
  { pool, clock }: Pick<WebhookTools, "pool" | "clock">,
  { type, userId, isService }: Sampled,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (isEventType(type)) return buildSampleEvent(type, userId, clock.now());
  if (!APP_TYPE.test(type)) return null;
  const [found] = await selectEventTypes(pool, [type]);
  return found !== undefined && (found.listed || isService) ? { ...found.example, test: true } : null;
}

/** The documented example as if the user caused it now. Its ids refer to nothing. */
export function buildSampleEvent(type: EventType, userId: string, now: Date): Record<string, unknown> {
  const { example } = EVENT_DESCRIPTIONS[type];
  const sample = JSON.parse(JSON.stringify(example), (name, value: unknown) =>
    name.endsWith("_at") && typeof value === "string" ? now.toISOString() : value,
  ) as Record<string, unknown>;
  return { ...sample, ...("actor" in sample && { actor: { type: "user", id: userId } }), test: true };
}
