import { EVENT_DESCRIPTIONS, type EventType } from "@swarmbase/sdk";

/** The documented example of the event type as if the user caused it now, marked with `test`. Its ids refer to nothing. */
export function buildSampleEvent(type: EventType, userId: string, now: Date): Record<string, unknown> {
  const { example } = EVENT_DESCRIPTIONS[type];
  const sample = JSON.parse(JSON.stringify(example), (name, value: unknown) =>
    name.endsWith("_at") && typeof value === "string" ? now.toISOString() : value,
  ) as Record<string, unknown>;
  return { ...sample, ...("actor" in sample && { actor: { type: "user", id: userId } }), test: true };
}
