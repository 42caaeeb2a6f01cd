import {
  FIELD_BOUNDS,
  MESSAGE_CONTENT_TYPES,
  MESSAGE_FLAG_SOURCES,
  MESSAGE_FLAG_STATUSES,
  MESSAGE_SENDER_TYPES,
} from "@swarmbase/sdk";
import { type Fault, FINE, fault, filledIn, nullable, type Value } from "../fields/field.ts";
import { anyJson, jsonObject, list } from "../fields/json-field.ts";
import { BIGINT_MAX, boolean, integer, timestamp } from "../fields/plain-fields.ts";
import { anyText, choice, text } from "../fields/text-field.ts";
import { canonicalUuid, uuid } from "../fields/uuid-field.ts";
import { tableRule } from "./table-rule.ts";

const MAX_MENTIONS = 100;

/** Sender and state of a message are managed by the service; for such columns only the format is checked. */
export const MESSAGES = tableRule({
  name: "messages",
  required: ["swarm_id", "content"],
  fields: {
    id: uuid(),
    swarm_id: uuid(),
    seq: filledIn(integer({ min: 0, max: BIGINT_MAX })),
    sender_type: choice(MESSAGE_SENDER_TYPES),
    sender_id: nullable(uuid()),
    sender_user_id: nullable(uuid()),
    sender_agent_id: nullable(uuid()),
    sender_name: filledIn(anyText()),
    sender_deleted: boolean(),
    // A deleted message that is sent back has no content; the database knows whether it is one.
    content: { ...text("messages.content"), nulls: "always" },
    content_type: choice(MESSAGE_CONTENT_TYPES),
    reply_to_id: nullable(uuid()),
    run_id: nullable(uuid()),
    turn_id: nullable(uuid()),
    finish_reason: nullable(anyText()),
    mentions: list(checkMentions),
    data: nullable(anyJson()),
    metadata: jsonObject("messages.metadata"),
    client_message_id: nullable(text(FIELD_BOUNDS["messages.client_message_id"])),
    edited_at: nullable(timestamp()),
    deleted_at: nullable(timestamp()),
    deleted_by: nullable(uuid()),
    flagged: boolean(),
  },
});

export const MESSAGE_FLAGS = tableRule({
  name: "message_flags",
  required: ["message_id"],
  fields: {
    id: uuid(),
    message_id: uuid(),
    swarm_id: filledIn(uuid()),
    source: choice(MESSAGE_FLAG_SOURCES),
    guardrail_id: nullable(uuid()),
    flagged_by: nullable(uuid()),
    category: nullable(text("message_flags.category")),
    reason: nullable(text("message_flags.reason")),
    status: choice(MESSAGE_FLAG_STATUSES),
    resolved_by: nullable(uuid()),
    resolved_at: nullable(timestamp()),
  },
});

export const READ_POSITIONS = tableRule({
  name: "read_positions",
  required: ["swarm_id", "last_read_seq"],
  requiredOfService: ["user_id"],
  ignored: ["created_at", "updated_at"],
  fields: {
    id: uuid(),
    swarm_id: uuid(),
    user_id: uuid(),
    last_read_seq: integer({ min: 0, max: BIGINT_MAX }),
  },
});

function checkMentions(mentions: readonly Value[]): readonly Fault[] {
  if (mentions.some((mention) => canonicalUuid(mention) === null)) return fault("must be an array of UUIDs");
  return mentions.length <= MAX_MENTIONS ? FINE : fault(`must have at most ${MAX_MENTIONS} entries`);
}
