import { AGENT_STATUSES, FRAMEWORKS } from "../agents.ts";
import { MESSAGE_FLAG_SOURCES } from "../messages.ts";
import { SWARM_STATUSES, SWARM_STRATEGIES } from "../swarms.ts";
import {
  anyObject,
  count,
  type JsonSchema,
  listOf,
  oneOf,
  orNull,
  record,
  text,
  time,
  truth,
  uuid,
} from "./json-schema.ts";

const ACTOR_TYPES = ["user", "agent", "service", "system"] as const;

/** Schemas that several events share, by the name by which they are referenced. */
export const SHARED_SCHEMAS = {
  EventActor: record({
    type: oneOf(ACTOR_TYPES, "`service` is a call with the service role key, `system` the service itself"),
    id: orNull(uuid("the id of the user or agent; otherwise null")),
  }),
  EventFault: record(
    { code: text("identifies the error; new codes may be added"), message: text(), retryable: truth() },
    { provider_status: orNull({ type: "integer", description: "HTTP status that the AI provider answered with" }) },
  ),
  EventUsage: record({
    input_tokens: count(),
    cached_input_tokens: count("the part of `input_tokens` that the provider had in its cache"),
    output_tokens: count(),
    total_tokens: count(),
    cost_usd: orNull({ type: "number", minimum: 0, description: "null if a price is unknown" }),
    estimated: truth("true if the provider reported no usage and the service estimated it"),
  }),
  EventFlag: record({
    id: uuid(),
    source: oneOf(MESSAGE_FLAG_SOURCES, "`moderation` is the blocklist of the swarm"),
    category: orNull(text()),
    reason: orNull(text()),
  }),
  AgentRecord: record({
    id: uuid(),
    user_id: uuid("the owner"),
    name: text(),
    role: orNull(text()),
    avatar: orNull(text()),
    description: orNull(text()),
    starter_questions: listOf(text()),
    framework: oneOf(FRAMEWORKS),
    model: orNull(text()),
    system_prompt: orNull(text()),
    settings: anyObject("see `AgentSettings`"),
    acts_for_askers: truth("its tools may act for whoever asks it"),
    status: oneOf(AGENT_STATUSES),
    created_at: time(),
    updated_at: time(),
  }),
  SwarmRecord: record({
    id: uuid(),
    owner_id: uuid(),
    name: text(),
    description: orNull(text()),
    avatar: orNull(text()),
    status: oneOf(SWARM_STATUSES),
    strategy: oneOf(SWARM_STRATEGIES),
    coordinator_agent_id: orNull(uuid()),
    settings: anyObject("see `SwarmSettings`"),
    created_at: time(),
    updated_at: time(),
  }),
} as const satisfies Record<string, JsonSchema>;

type SharedSchemaName = keyof typeof SHARED_SCHEMAS;

export function refer(name: SharedSchemaName): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

/** The user who caused it. */
export const ACTOR = refer("EventActor");
