import type { Identity } from "../subscriptions/identity.ts";
import type { PreparedBinding, Subscription } from "../subscriptions/subscription.ts";

/** Subscriptions of one identity with the bindings that a change matches. */
export type Recipients = ReadonlyMap<Subscription, readonly PreparedBinding[]>;

/** User ids; null stands for all users. */
export type Users = ReadonlySet<string> | null;

export function hasAnyUser(byUser: ReadonlyMap<string, unknown>, users: Users): boolean {
  if (users === null) return true;
  const [fewer, more] = users.size <= byUser.size ? [users, byUser] : [byUser, users];
  for (const user of fewer.keys()) if (more.has(user)) return true;
  return false;
}

export function* selectUsers(
  byUser: ReadonlyMap<string, ReadonlyMap<Identity, Recipients>>,
  users: Users,
): Generator<readonly [Identity, Recipients]> {
  if (users === null) for (const identities of byUser.values()) yield* identities;
  else if (users.size <= byUser.size) for (const user of users) yield* byUser.get(user) ?? [];
  else for (const [user, identities] of byUser) if (users.has(user)) yield* identities;
}

/** Copies the recipients only when an identity has several groups; the maps of the index must not change. */
export function addRecipients(into: Map<Identity, Recipients>, identity: Identity, recipients: Recipients): void {
  const known = into.get(identity);
  if (known === undefined) {
    into.set(identity, recipients);
    return;
  }
  const both = new Map(known);
  for (const [subscription, bindings] of recipients)
    both.set(subscription, [...(both.get(subscription) ?? []), ...bindings]);
  into.set(identity, both);
}
