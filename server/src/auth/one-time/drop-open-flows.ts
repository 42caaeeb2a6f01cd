import type { Queryable } from "../auth-context.ts";
import type { UserChanges } from "../users/sql/update-user.ts";
import { deleteFlowStatesOfUser } from "./sql/flow-states.ts";
import { deleteOneTimesOfUser } from "./sql/one-time-tokens.ts";

/** A change of address that was begun is forgotten; a mail about it could otherwise be asked for again. */
export const NO_EMAIL_CHANGE = { new_email: null, email_change_confirmations: 0 } as const satisfies UserChanges;

/** Codes, links and exchanges that were begun before the account was secured anew: somebody else may have begun them. */
export async function dropOpenFlows(client: Queryable, userId: string): Promise<void> {
  await deleteFlowStatesOfUser(client, userId);
  await deleteOneTimesOfUser(client, userId);
}
