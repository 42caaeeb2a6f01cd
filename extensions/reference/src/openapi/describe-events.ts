import {
  buildEventExample,
  buildEventSchema,
  EVENT_DESCRIPTIONS,
  EVENT_TYPES,
  type EventType,
  type JsonSchema,
  SHARED_SCHEMAS,
  WEBHOOK_HEADERS,
} from "@swarmbase/sdk";
import { inHeader, refer } from "../operations/operation-text.ts";
import { TEXT, TIME } from "../schemas/schema-parts.ts";
import type { Schema, WebhookOperation } from "./document.ts";

export const EVENTS_TAG = {
  name: "Events",
  description:
    "What a webhook receives: a signed POST with the event as its body. `verifyWebhook` of `@swarmbase/sdk` checks the signature and returns the typed event.",
} as const;

const AppEventType: Schema = {
  type: "string",
  pattern: "^app(\\.[a-z][a-z0-9_]*)+$",
  description: "A row of `event_types`",
};

const HEADERS = [
  inHeader(
    WEBHOOK_HEADERS.signature,
    "`sha256=` and the hex HMAC-SHA256 of `<timestamp>.<body>`, keyed with the whole secret",
  ),
  inHeader(
    WEBHOOK_HEADERS.timestamp,
    "Unix seconds of this attempt; reject values that differ from your clock by more than 300 s",
  ),
  inHeader(WEBHOOK_HEADERS.event, "the event type"),
  inHeader(WEBHOOK_HEADERS.delivery, "the delivery, the same on every attempt"),
];

export function describeWebhooks(): Record<string, { readonly post: WebhookOperation }> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeEvent(type) }]));
}

function describeEvent(type: EventType): WebhookOperation {
  const { summary, audience } = EVENT_DESCRIPTIONS[type];
  return {
    operationId: `on${schemaNameOf(type)}`,
    tags: [EVENTS_TAG.name],
    summary,
    description: `Sent to ${audience}.`,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { "application/json": { schema: refer(schemaNameOf(type)), example: buildEventExample(type) } },
    },
    responses: { "2XX": { description: "Received. For any other status the delivery is retried, or it fails." } },
  };
}

export function eventSchemas(): Record<string, Schema> {
  const events = EVENT_TYPES.map((type) => {
    const { $schema: _, $defs: __, examples: ___, ...schema } = buildEventSchema(type);
    return [schemaNameOf(type), moveReferences(schema)];
  });
  const shared = Object.entries<JsonSchema>(SHARED_SCHEMAS).map(([name, schema]) => [name, moveReferences(schema)]);
  return {
    EventType: { type: "string", enum: EVENT_TYPES },
    AppEventType,
    AppEnvelope: {
      description: "An event of the app itself, whose type is a row of `event_types`",
      type: "object",
      properties: {
        id: TEXT,
        type: refer("AppEventType"),
        created_at: TIME,
        api_version: TEXT,
        data: { type: "object" },
      },
      required: ["id", "type", "created_at", "api_version", "data"],
    },
    SwarmbaseEvent: {
      anyOf: [...EVENT_TYPES.map(schemaNameOf), "AppEnvelope"].map(refer),
      description: "Any event",
    },
    ...(Object.fromEntries([...events, ...shared]) as Record<string, Schema>),
  };
}

/** As the types of the sdk are called, with what they are. */
function schemaNameOf(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

function moveReferences(schema: JsonSchema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;
}
