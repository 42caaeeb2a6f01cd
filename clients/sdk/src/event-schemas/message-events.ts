import { MESSAGE_SENDER_TYPES } from "../messages.ts";
import type { EventDescription } from "./event-description.ts";
import { BY_ADA, EXAMPLE } from "./example-values.ts";
import { listOf, oneOf, orNull, record, text, time, uuid } from "./json-schema.ts";
import { ACTOR, refer } from "./shared-schemas.ts";

const MEMBERS = "active members of the swarm";
const IN_SWARM = { message_id: uuid(), swarm_id: uuid() };
const EXAMPLE_IDS = { message_id: EXAMPLE.message, swarm_id: EXAMPLE.swarm } as const;

export const MESSAGE_EVENTS = {
  "message.created": {
    summary: "A user, an agent or the system wrote a message in a swarm.",
    audience: MEMBERS,
    data: record({
      ...IN_SWARM,
      content: text(),
      sender_type: oneOf(MESSAGE_SENDER_TYPES),
      sender_id: orNull(uuid("of the user or the agent")),
      sender_name: text("the name at that time"),
      run_id: orNull(uuid("the run that the message belongs to")),
      reply_to_id: orNull(uuid()),
      created_at: time(),
      actor: ACTOR,
    }),
    example: {
      ...EXAMPLE_IDS,
      content: "Is the bridge open?",
      sender_type: "user",
      sender_id: EXAMPLE.ada,
      sender_name: "Ada",
      run_id: null,
      reply_to_id: null,
      created_at: EXAMPLE.time,
      actor: BY_ADA,
    },
  },
  "message.updated": {
    summary: "A message was edited, or the last open flag on it was dismissed.",
    audience: MEMBERS,
    data: record({
      ...IN_SWARM,
      content: text("the current text"),
      changed_fields: listOf(oneOf(["content", "content_type", "metadata", "mentions", "flagged"])),
      edited_at: orNull(time("the time of the last change of the text; null without one")),
      actor: ACTOR,
    }),
    example: {
      ...EXAMPLE_IDS,
      content: "Is the old bridge open?",
      changed_fields: ["content"],
      edited_at: EXAMPLE.time,
      actor: BY_ADA,
    },
  },
  "message.deleted": {
    summary: "A message was deleted. Its text is removed; its position in the swarm is kept.",
    audience: MEMBERS,
    data: record({ ...IN_SWARM, deleted_at: time(), actor: ACTOR }),
    example: { ...EXAMPLE_IDS, deleted_at: EXAMPLE.time, actor: BY_ADA },
  },
  "message.flagged": {
    summary: "A member or the blocklist of the swarm flagged a message for review.",
    audience: "owner and admins of the swarm, and the user who flagged it",
    data: record({
      ...IN_SWARM,
      content: orNull(text("null when the message was deleted")),
      flag: refer("EventFlag"),
      actor: ACTOR,
    }),
    example: {
      ...EXAMPLE_IDS,
      content: "How rude",
      flag: { id: EXAMPLE.flag, source: "user", category: null, reason: "Not nice" },
      actor: BY_ADA,
    },
  },
} as const satisfies Record<string, EventDescription>;
