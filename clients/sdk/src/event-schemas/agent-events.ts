import { AGENT_STATUS_REASONS, AGENT_STATUSES, FRAMEWORKS } from "../agents.ts";
import type { EventDescription } from "./event-description.ts";
import { BY_ADA, EXAMPLE } from "./example-values.ts";
import { count, listOf, oneOf, orNull, record, text, time, uuid } from "./json-schema.ts";
import { ACTOR, refer } from "./shared-schemas.ts";

const OWNER = "the owner of the agent";

export const AGENT_EVENTS = {
  "agent.created": {
    summary: "An agent was created.",
    audience: OWNER,
    data: record({
      agent_id: uuid(),
      name: text(),
      framework: oneOf(FRAMEWORKS),
      model: orNull(text("null: the default model of the framework")),
      role: orNull(text()),
      created_at: time(),
      actor: ACTOR,
    }),
    example: {
      agent_id: EXAMPLE.agent,
      name: "Ann",
      framework: "provider_a",
      model: null,
      role: "Fact checker",
      created_at: EXAMPLE.time,
      actor: BY_ADA,
    },
  },
  "agent.updated": {
    summary: "A field of an agent changed, other than its status.",
    audience: OWNER,
    data: record({
      agent_id: uuid(),
      changed_fields: listOf(text(), "names of columns"),
      agent: refer("AgentRecord"),
      actor: ACTOR,
    }),
    example: {
      agent_id: EXAMPLE.agent,
      changed_fields: ["role"],
      agent: {
        id: EXAMPLE.agent,
        user_id: EXAMPLE.ada,
        name: "Ann",
        role: "Fact checker",
        avatar: null,
        description: "Checks what you write against sources.",
        starter_questions: ["Is this sentence true?"],
        framework: "provider_a",
        model: null,
        system_prompt: "You check facts.",
        settings: { temperature: 0.2 },
        acts_for_askers: false,
        status: "idle",
        created_at: EXAMPLE.time,
        updated_at: EXAMPLE.time,
      },
      actor: BY_ADA,
    },
  },
  "agent.deleted": {
    summary: "An agent was deleted. Its messages are kept.",
    audience: OWNER,
    data: record({
      agent_id: uuid(),
      name: text(),
      removed_from_swarms: listOf(uuid(), "the swarms that it was in, where its owner was a member"),
      actor: ACTOR,
    }),
    example: { agent_id: EXAMPLE.agent, name: "Ann", removed_from_swarms: [EXAMPLE.swarm], actor: BY_ADA },
  },
  "agent.error": {
    summary: "A turn of an agent failed, after all retries and fallbacks.",
    audience: OWNER,
    data: record({
      agent_id: uuid(),
      swarm_id: uuid(),
      run_id: uuid(),
      turn_id: uuid(),
      error: refer("EventFault"),
      attempts: count("number of calls to the provider"),
      framework: oneOf(FRAMEWORKS),
      model: text(),
    }),
    example: {
      agent_id: EXAMPLE.agent,
      swarm_id: EXAMPLE.swarm,
      run_id: EXAMPLE.run,
      turn_id: EXAMPLE.turn,
      error: {
        code: "PROVIDER_OVERLOADED",
        message: "The provider is overloaded",
        retryable: true,
        provider_status: 503,
      },
      attempts: 3,
      framework: "provider_a",
      model: "large-1",
    },
  },
  "agent.status_changed": {
    summary: "The status of an agent changed, by a run or by its owner.",
    audience: OWNER,
    data: record({
      agent_id: uuid(),
      status: oneOf(AGENT_STATUSES),
      previous_status: oneOf(AGENT_STATUSES),
      reason: oneOf(AGENT_STATUS_REASONS, "`manual`: set by its owner"),
      run_id: orNull(uuid()),
      swarm_id: orNull(uuid()),
      changed_at: time(),
    }),
    example: {
      agent_id: EXAMPLE.agent,
      status: "thinking",
      previous_status: "idle",
      reason: "run_started",
      run_id: EXAMPLE.run,
      swarm_id: EXAMPLE.swarm,
      changed_at: EXAMPLE.time,
    },
  },
} as const satisfies Record<string, EventDescription>;
