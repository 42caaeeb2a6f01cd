import type { AccessCache } from "../rules/access-cache.ts";
import { findCandidates } from "../rules/rule.ts";
import type { BindingGroup, Identity, PreparedBinding, Subscription } from "../subscription.ts";
import type { RoleView } from "../tables/table-metadata.ts";
import type { RowFilter } from "../filters/compile-filter.ts";
import type { BindingIndex } from "./binding-index.ts";
import type { RoutedChange } from "./routed-change.ts";

/** Subscriptions of one identity with the bindings that a change matches. */
export type Recipients = ReadonlyMap<Subscription, readonly PreparedBinding[]>;

/** User ids; null stands for all users. */
type Users = ReadonlySet<string> | null;

/** Recipients of one identity whose bindings match a change. They may still lack the right to see it. */
export interface Match {
  readonly identity: Identity;
  readonly recipients: Recipients;
  /** The filter whose condition only the database can evaluate; null when there is none. */
  readonly filter: (RowFilter & { readonly condition: string }) | null;
}

const NO_USERS: ReadonlySet<string> = new Set();

/** Finds the identities whose bindings match the change, as far as the row and the rules of the table show. */
export function matchChange(routed: RoutedChange, index: BindingIndex, access: AccessCache): Match[] {
  const { change, metadata, read } = routed;
  const usersByRole = new Map<string, Users>();
  const findUsers = (role: string, group: BindingGroup): Users => {
    const view = metadata.roles.get(role);
    if (view === undefined || !mayFilter(view, group)) return NO_USERS;
    let users = usersByRole.get(role);
    if (users === undefined) {
      users = findPossibleUsers(view, routed, access);
      usersByRole.set(role, users);
    }
    return users;
  };
  const hasRecipients = (group: BindingGroup): boolean => {
    for (const [role, byUser] of group.members) if (hasAnyUser(byUser, findUsers(role, group))) return true;
    return false;
  };
  const unconditional = new Map<Identity, Recipients>();
  const conditional: Match[] = [];
  for (const group of index.find(change.relation, change.type, read, false, hasRecipients)) {
    for (const [role, byUser] of group.members) {
      for (const [identity, recipients] of selectUsers(byUser, findUsers(role, group))) {
        if (hasCondition(group.filter)) conditional.push({ identity, recipients, filter: group.filter });
        else addRecipients(unconditional, identity, recipients);
      }
    }
  }
  return [
    ...Array.from(unconditional, ([identity, recipients]): Match => ({ identity, recipients, filter: null })),
    ...conditional,
  ];
}

function hasCondition(filter: RowFilter | null): filter is RowFilter & { readonly condition: string } {
  return filter !== null && filter.condition !== null;
}

/** Users who had access before the transaction may see the deletion of a row. */
function findPossibleUsers(view: RoleView, { change, accessBefore, read }: RoutedChange, access: AccessCache): Users {
  const users = findCandidates(view.rule, read, (set, id) => access.findUsers(set, id));
  if (users === null || change.type !== "DELETE" || accessBefore.size === 0) return users;
  return new Set([...users, ...accessBefore.keys()]);
}

/** A role that may no longer read a column must not learn its values by a filter. */
function mayFilter({ columns }: RoleView, { filter }: BindingGroup): boolean {
  return columns.size > 0 && (filter === null || filter.columns.every((column) => columns.has(column)));
}

function hasAnyUser(byUser: ReadonlyMap<string, unknown>, users: Users): boolean {
  if (users === null) return true;
  const [fewer, more] = users.size <= byUser.size ? [users, byUser] : [byUser, users];
  for (const user of fewer.keys()) if (more.has(user)) return true;
  return false;
}

function* selectUsers(
  byUser: ReadonlyMap<string, ReadonlyMap<Identity, Recipients>>,
  users: Users,
): Generator<readonly [Identity, Recipients]> {
  if (users === null) for (const identities of byUser.values()) yield* identities;
  else if (users.size <= byUser.size) for (const user of users) yield* byUser.get(user) ?? [];
  else for (const [user, identities] of byUser) if (users.has(user)) yield* identities;
}

/** Copies the recipients only when an identity has several groups; the maps of the index must not change. */
function addRecipients(into: Map<Identity, Recipients>, identity: Identity, recipients: Recipients): void {
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
