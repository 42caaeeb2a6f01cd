import { SWARM_ROLES } from "../swarms.ts";
import type { EventDescription } from "./event-description.ts";
import { BY_ADA, EXAMPLE } from "./example-values.ts";
import { oneOf, record, uuid } from "./json-schema.ts";
import { ACTOR } from "./shared-schemas.ts";

const MEMBERS = "active members of the swarm";
const MEMBERSHIP = { swarm_id: uuid(), user_id: uuid(), role: oneOf(SWARM_ROLES) };
const EXAMPLE_MEMBERSHIP = { swarm_id: EXAMPLE.swarm, user_id: EXAMPLE.bob, role: "member" } as const;

export const USER_EVENTS = {
  "user.joined": {
    summary: "A user accepted an invitation to a swarm, or the service role added the user.",
    audience: MEMBERS,
    data: record({ ...MEMBERSHIP, actor: ACTOR }),
    example: { ...EXAMPLE_MEMBERSHIP, actor: { type: "user", id: EXAMPLE.bob } },
  },
  "user.removed": {
    summary: "A user is no longer a member of a swarm.",
    audience: "active members of the swarm, and the removed user",
    data: record({ ...MEMBERSHIP, reason: oneOf(["left", "removed", "account_deleted"]), actor: ACTOR }),
    example: { ...EXAMPLE_MEMBERSHIP, reason: "removed", actor: BY_ADA },
  },
  "user.role_changed": {
    summary: "The role of a member of a swarm changed.",
    audience: MEMBERS,
    data: record({ ...MEMBERSHIP, previous_role: oneOf(SWARM_ROLES), actor: ACTOR }),
    example: { ...EXAMPLE_MEMBERSHIP, role: "admin", previous_role: "member", actor: BY_ADA },
  },
} as const satisfies Record<string, EventDescription>;
