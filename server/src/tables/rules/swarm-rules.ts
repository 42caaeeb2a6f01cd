import { SWARM_MEMBER_STATUSES, SWARM_ROLES, SWARM_STATUSES, SWARM_STRATEGIES } from "@swarmbase/sdk";
import type { RunMaxima } from "../../agents/index.ts";
import { FINE, fault, filledIn, nullable, type Row, valueOf } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { boolean, INTEGER_MAX, integer, timestamp } from "../fields/plain-fields.ts";
import { choice, httpUrl, text, trimmedText } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { checkSwarmSettings } from "./swarm-settings.ts";
import { type RowFault, rowFault, type TableRule, tableRule } from "./table-rule.ts";

export function swarmRule(maxima: RunMaxima): TableRule {
  return tableRule({
    name: "swarms",
    required: ["name"],
    requiredOfService: ["owner_id"],
    ignored: ["created_at", "updated_at"],
    fields: {
      id: uuid(),
      owner_id: uuid(),
      name: trimmedText("swarms.name"),
      description: nullable(text("swarms.description")),
      avatar: nullable(httpUrl("swarms.avatar")),
      status: choice(SWARM_STATUSES),
      strategy: choice(SWARM_STRATEGIES),
      coordinator_agent_id: nullable(uuid()),
      settings: jsonObject("swarms.settings", checkSwarmSettings(maxima)),
    },
  });
}

const EMAIL_MAX = 320;

export const SWARM_MEMBERS = tableRule({
  name: "swarm_members",
  required: ["swarm_id"],
  aliases: { email: "invited_email" },
  checkNewRow: checkInvitation,
  fields: {
    id: uuid(),
    swarm_id: uuid(),
    user_id: nullable(uuid()),
    invited_email: nullable(
      text({ min: 0, max: EMAIL_MAX }, (email) =>
        /^(?:[^\s@]+@[^\s@]+)?$/.test(email.trim()) ? FINE : fault("must be an e-mail address"),
      ),
    ),
    role: choice(SWARM_ROLES),
    status: choice(SWARM_MEMBER_STATUSES),
    invited_by: nullable(uuid()),
    joined_at: nullable(timestamp()),
  },
});

export const SWARM_AGENTS = tableRule({
  name: "swarm_agents",
  required: ["swarm_id", "agent_id"],
  fields: {
    id: uuid(),
    swarm_id: uuid(),
    agent_id: uuid(),
    position: filledIn(integer({ min: 0, max: INTEGER_MAX })),
    enabled: boolean(),
    role_override: nullable(text("swarm_agents.role_override")),
    added_by: nullable(uuid()),
  },
});

function checkInvitation(row: Row): readonly RowFault[] {
  const isNamed = ["user_id", "invited_email"].some((column) => {
    const value = valueOf(row, column) ?? null;
    return value !== null && !(typeof value === "string" && value.trim() === "");
  });
  return isNamed ? [] : rowFault("user_id", "is required, or email in its place");
}
