import type { Identity } from "./identity.ts";
import type { Seat, SeatBinding } from "./seat.ts";

export type Listeners = ReadonlyMap<Seat, readonly SeatBinding[]>;

/** Whether any of them is among the users; null stands for everybody. */
export function overlap(byUser: ReadonlyMap<string, unknown>, users: ReadonlySet<string> | null): boolean {
  if (users === null) return true;
  const [fewer, more] = users.size <= byUser.size ? [users, byUser] : [byUser, users];
  for (const user of fewer.keys()) if (more.has(user)) return true;
  return false;
}

export function* pick(
  byUser: ReadonlyMap<string, ReadonlyMap<Identity, Listeners>>,
  users: ReadonlySet<string> | null,
): Generator<readonly [Identity, Listeners]> {
  if (users === null) for (const identities of byUser.values()) yield* identities;
  else if (users.size <= byUser.size) for (const user of users) yield* byUser.get(user) ?? [];
  else for (const [user, identities] of byUser) if (users.has(user)) yield* identities;
}

/** The index's own list is never written to; most changes need no other. */
export function merge(into: Map<Identity, Listeners>, identity: Identity, listeners: Listeners): void {
  const known = into.get(identity);
  if (known === undefined) {
    into.set(identity, listeners);
    return;
  }
  const both = new Map(known);
  for (const [seat, bindings] of listeners) both.set(seat, [...(both.get(seat) ?? []), ...bindings]);
  into.set(identity, both);
}
