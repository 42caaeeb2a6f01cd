import { API_VERSION, API_VERSIONS, type EventType } from "../events.ts";
import { AGENT_EVENTS } from "./agent-events.ts";
import type { EventDescription } from "./event-description.ts";
import { EXAMPLE } from "./example-values.ts";
import { type JsonSchema, record } from "./json-schema.ts";
import { MESSAGE_EVENTS } from "./message-events.ts";
import { RUN_EVENTS } from "./run-events.ts";
import { SHARED_SCHEMAS } from "./shared-schemas.ts";
import { SWARM_EVENTS } from "./swarm-events.ts";
import { TOOL_EVENTS } from "./tool-events.ts";
import { USER_EVENTS } from "./user-events.ts";

/**
 * All events with the schema of their `data`. The types, the JSON Schemas and the reference page are generated from it.
 */
export const EVENT_DESCRIPTIONS: Readonly<Record<EventType, EventDescription>> = {
  ...MESSAGE_EVENTS,
  ...SWARM_EVENTS,
  ...RUN_EVENTS,
  ...AGENT_EVENTS,
  ...TOOL_EVENTS,
  ...USER_EVENTS,
};

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

/** A schema that refers to its own `$defs`. */
export interface EventSchema extends JsonSchema {
  readonly $schema: string;
  readonly title: EventType;
  readonly $defs: Readonly<Record<string, JsonSchema>>;
  readonly examples: readonly unknown[];
}

/** JSON Schema 2020-12 of the body of a delivery. Additional members are allowed. */
export function buildEventSchema(type: EventType): EventSchema {
  const { summary, data } = EVENT_DESCRIPTIONS[type];
  const envelope = record({
    id: { type: "string", pattern: `^evt_${UUID}$`, description: "the same for all webhooks" },
    type: { type: "string", const: type },
    created_at: { type: "string", format: "date-time" },
    api_version: {
      type: "string",
      pattern: "^\\d{4}-\\d{2}-\\d{2}$",
      description: `that of the webhook; there is ${API_VERSIONS.join(", ")}`,
    },
    data: withTestMark(data),
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: type,
    description: summary,
    ...envelope,
    $defs: sharedSchemasOf(data),
    examples: [buildEventExample(type)],
  };
}

/** An example of the body of a delivery. */
export function buildEventExample(type: EventType): Readonly<Record<string, unknown>> {
  return {
    id: "evt_0199f3a1-5c00-7a10-8000-000000000000",
    type,
    created_at: EXAMPLE.time.replace("000+00:00", "Z"),
    api_version: API_VERSION,
    data: EVENT_DESCRIPTIONS[type].example,
  };
}

function sharedSchemasOf(data: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const text = JSON.stringify(data);
  return Object.fromEntries(Object.entries(SHARED_SCHEMAS).filter(([name]) => text.includes(`"#/$defs/${name}"`)));
}

/** Only samples of `test-webhook` have it. */
function withTestMark(data: JsonSchema): JsonSchema {
  if (data.anyOf !== undefined) return { anyOf: data.anyOf.map(withTestMark) };
  const test: JsonSchema = { type: "boolean", const: true, description: "a sample of `test-webhook`" };
  return { ...data, properties: { ...data.properties, test } };
}
