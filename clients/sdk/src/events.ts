import type { EventDataByType } from "./event-types/by-type.ts";

export const EVENT_TYPES_BY_GROUP = {
  message: ["message.created", "message.updated", "message.deleted", "message.flagged"],
  swarm: [
    "swarm.created",
    "swarm.updated",
    "swarm.deleted",
    "swarm.completed",
    "swarm.agent_added",
    "swarm.agent_removed",
  ],
  run: ["run.updated"],
  agent: ["agent.created", "agent.updated", "agent.deleted", "agent.error", "agent.status_changed"],
  tool: ["tool.executed", "tool.error"],
  user: ["user.joined", "user.removed", "user.role_changed"],
} as const satisfies Record<string, readonly string[]>;

/** A type of the app's own events, a row of `event_types`. */
export type AppEventType = `app.${string}`;

/** The data of your app's own events, by their types: extend it with `declare module "@swarmbase/sdk"`. */
// biome-ignore lint/suspicious/noEmptyInterface: apps add members to it.
export interface AppEvents {}

type NamedAppEvent = Extract<keyof AppEvents, AppEventType>;
/** The types that `AppEvents` names; any type of an app without them. */
export type KnownAppEventType = [NamedAppEvent] extends [never] ? AppEventType : NamedAppEvent;

export type EventGroup = keyof typeof EVENT_TYPES_BY_GROUP;
export type EventType = (typeof EVENT_TYPES_BY_GROUP)[EventGroup][number];

export const EVENT_TYPES: readonly EventType[] = Object.values(EVENT_TYPES_BY_GROUP).flat();

/** Versions of the bodies of deliveries, the newest first. */
export const API_VERSIONS = ["2026-11-15"] as const;

/** The version that a webhook created now is pinned to. */
export const [API_VERSION] = API_VERSIONS;

/** The `data` of an event, by its type; unknown for types that neither this version of the package nor `AppEvents` has. */
export type EventData<Type extends string> = Type extends keyof EventDataByType
  ? EventDataByType[Type]
  : Type extends keyof AppEvents
    ? AppEvents[Type]
    : Record<string, unknown>;

/** JSON body of a webhook delivery, with its members in the order in which they are sent. */
export interface EventEnvelope<Type extends string = EventType> {
  /** One per event, however many webhooks receive it: `evt_<uuid>`. */
  id: string;
  type: Type;
  /** ISO 8601. */
  created_at: string;
  api_version: string;
  data: EventData<Type>;
}

/** Any event; `type` discriminates the union. */
export type SwarmbaseEvent = {
  [Type in EventType | KnownAppEventType]: EventEnvelope<Type>;
}[EventType | KnownAppEventType];

/** One of `event_feed_backlog.consumers`. */
export interface FeedConsumer {
  readonly consumer: string;
  readonly cursor: string;
  /** Events of the feed behind the cursor. */
  readonly waiting: number;
  readonly committed_at: string;
}

/** For types that are chosen at run time; for a literal type, comparing `event.type` does the same. */
export function isEventOf<Type extends SwarmbaseEvent["type"]>(
  event: Pick<EventEnvelope<string>, "type">,
  ...types: readonly Type[]
): event is Extract<SwarmbaseEvent, { type: Type }> {
  return (types as readonly string[]).includes(event.type);
}

/** Whether the text has the form of a name in `event_types`. */
export function isAppEventType(value: unknown): value is AppEventType {
  return typeof value === "string" && /^app(?:\.[a-z][a-z0-9_]*)+$/.test(value);
}

export function isEventType(value: unknown): value is EventType {
  return (EVENT_TYPES as readonly unknown[]).includes(value);
}
