// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { EventActor } from "../event-types/shared.ts";
import type { SwarmRole } from "../swarms.ts";

/** `user.joined`: A user accepted an invitation to a swarm, or the service role added the user. */
export interface UserJoinedData {
  swarm_id: string;
  user_id: string;
  role: SwarmRole;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `user.removed`: A user is no longer a member of a swarm. */
export interface UserRemovedData {
  swarm_id: string;
  user_id: string;
  role: SwarmRole;
  reason: "left" | "removed" | "account_deleted";
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `user.role_changed`: The role of a member of a swarm changed. */
export interface UserRoleChangedData {
  swarm_id: string;
  user_id: string;
  role: SwarmRole;
  previous_role: SwarmRole;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}
