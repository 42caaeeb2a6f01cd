import { RUN_STOP_REASONS } from "../runs.ts";
import { SWARM_STRATEGIES } from "../swarms.ts";
import type { EventDescription } from "./event-description.ts";
import { BY_ADA, EXAMPLE } from "./example-values.ts";
import { count, listOf, oneOf, orNull, record, text, uuid } from "./json-schema.ts";
import { ACTOR, refer } from "./shared-schemas.ts";

const MEMBERS = "active members of the swarm";
const OF_AGENT = { swarm_id: uuid(), agent_id: uuid(), agent_name: text() };
const EXAMPLE_AGENT = { swarm_id: EXAMPLE.swarm, agent_id: EXAMPLE.agent, agent_name: "Ann" } as const;

const BY_RUN = record({
  swarm_id: uuid(),
  run_id: uuid(),
  status: oneOf(["completed", "partial"], "`partial`: some agents could not answer"),
  stop_reason: oneOf(RUN_STOP_REASONS),
  message_id: orNull(uuid("the message that was answered")),
  response_message_ids: listOf(uuid()),
  usage: orNull(refer("EventUsage")),
  duration_ms: count("from the message to the last answer, including waits"),
});
const BY_HAND = record({
  swarm_id: uuid(),
  run_id: { type: "null", description: "no run: the status of the swarm was set to `completed`" },
  source: { type: "string", const: "manual" },
  actor: ACTOR,
});

export const SWARM_EVENTS = {
  "swarm.created": {
    summary: "A swarm was created.",
    audience: "its owner",
    data: record({
      swarm_id: uuid(),
      name: text(),
      owner_id: uuid(),
      strategy: oneOf(SWARM_STRATEGIES),
      actor: ACTOR,
    }),
    example: {
      swarm_id: EXAMPLE.swarm,
      name: "Newsroom",
      owner_id: EXAMPLE.ada,
      strategy: "round_robin",
      actor: BY_ADA,
    },
  },
  "swarm.updated": {
    summary: "Name, settings, strategy or another field of a swarm changed. Its completion has a separate event.",
    audience: MEMBERS,
    data: record({
      swarm_id: uuid(),
      changed_fields: listOf(text(), "names of columns"),
      swarm: refer("SwarmRecord"),
      actor: ACTOR,
    }),
    example: {
      swarm_id: EXAMPLE.swarm,
      changed_fields: ["name"],
      swarm: {
        id: EXAMPLE.swarm,
        owner_id: EXAMPLE.ada,
        name: "Night desk",
        description: null,
        avatar: null,
        status: "active",
        strategy: "round_robin",
        coordinator_agent_id: null,
        settings: {},
        created_at: EXAMPLE.time,
        updated_at: EXAMPLE.time,
      },
      actor: BY_ADA,
    },
  },
  "swarm.deleted": {
    summary: "A swarm was deleted with all of its messages.",
    audience: "the users who were its active members",
    data: record({ swarm_id: uuid(), name: text(), owner_id: uuid(), actor: ACTOR }),
    example: { swarm_id: EXAMPLE.swarm, name: "Newsroom", owner_id: EXAMPLE.ada, actor: BY_ADA },
  },
  "swarm.completed": {
    summary: "A run with at least one reply has ended, or the swarm's status was set to `completed`.",
    audience: MEMBERS,
    data: { anyOf: [BY_RUN, BY_HAND] },
    example: {
      swarm_id: EXAMPLE.swarm,
      run_id: EXAMPLE.run,
      status: "completed",
      stop_reason: "all_replied",
      message_id: EXAMPLE.message,
      response_message_ids: ["0199f3a1-5c00-7a10-8000-000000000009"],
      usage: {
        input_tokens: 12,
        cached_input_tokens: 0,
        output_tokens: 30,
        total_tokens: 42,
        cost_usd: 0.0001,
        estimated: false,
      },
      duration_ms: 900,
    },
  },
  "swarm.agent_added": {
    summary: "An agent was added to a swarm.",
    audience: MEMBERS,
    data: record({ ...OF_AGENT, position: count("the position in the order of turns"), actor: ACTOR }),
    example: { ...EXAMPLE_AGENT, position: 1, actor: BY_ADA },
  },
  "swarm.agent_removed": {
    summary: "An agent was removed from a swarm.",
    audience: MEMBERS,
    data: record({ ...OF_AGENT, reason: oneOf(["removed", "agent_deleted"]), actor: ACTOR }),
    example: { ...EXAMPLE_AGENT, reason: "removed", actor: BY_ADA },
  },
} as const satisfies Record<string, EventDescription>;
