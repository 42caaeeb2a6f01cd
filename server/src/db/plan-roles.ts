import pg from "pg";

/** The state of the roles and rights that the schema depends on. */
export interface RoleState {
  readonly database: string;
  readonly isSuperuser: boolean;
  readonly versionNumber: number;
  readonly existing: readonly string[];
  readonly canBecomeOwner: boolean;
  readonly isServiceRoleBypassing: boolean;
  /** Existing memberships, as `member>role`. */
  readonly memberships: readonly string[];
  readonly canOwnerCreateSchemas: boolean;
  readonly canOwnerCreateInPublic: boolean;
  readonly ownsDatabase: boolean;
  readonly canEverybodyMakeTemporaryTables: boolean;
  readonly canCreateRoles: boolean;
  readonly isReplicaReplicating: boolean;
  readonly canGiveReplication: boolean;
}

export const OWNER_ROLE = "swarmbase_owner";
/** Calls the functions of hooks, and has no other rights: a shared login could become the service role. */
export const HOOK_ROLE = "sb_hook";
export const LOGIN_ROLES = [OWNER_ROLE, "sb_user", "sb_service", HOOK_ROLE] as const;
/**
 * Reads the WAL for realtime, and nothing else: a role with REPLICATION sees every row, so no login that serves requests has
 * it. Not every administrator can grant it, and the service runs without it.
 */
export const REPLICA_ROLE = "sb_replica";
export type LoginRole = (typeof LOGIN_ROLES)[number] | typeof REPLICA_ROLE;
/** Requests of API keys: a role of its own for the policies of keys, with all privileges and policies of `authenticated`. */
const KEY_ROLE = "api_key";
const INTERFACE_ROLES = ["anon", "authenticated", KEY_ROLE, "service_role"] as const;
export const ROLES = [...LOGIN_ROLES, ...INTERFACE_ROLES] as const;
export const OWN_SCHEMAS = ["auth", "private", "realtime"] as const;

/** Which role may set which. With a shared login, a SQL function of a user could set the service role. */
const MEMBERSHIPS = [
  ["sb_user", "anon"],
  ["sb_user", "authenticated"],
  ["sb_user", KEY_ROLE],
  ["sb_service", "anon"],
  ["sb_service", "authenticated"],
  ["sb_service", KEY_ROLE],
  ["sb_service", "service_role"],
  [KEY_ROLE, "authenticated"],
] as const;

/** Plans missing grants only: repeating one rewrites rows of the shared catalogue that other databases wait for. */
export function planRoles(state: RoleState): string[] {
  const database = pg.escapeIdentifier(state.database);
  const statements: string[] = [];
  for (const role of ROLES.filter((name) => !state.existing.includes(name))) {
    const canLogIn = LOGIN_ROLES.some((name) => name === role);
    statements.push(
      `create role ${role} ${canLogIn ? "login" : "nologin"} ${role === KEY_ROLE ? "inherit" : "noinherit"}`,
    );
  }
  // Our tables name the service role in their policies; BYPASSRLS is for tables that are added later. The administrator of
  // a managed server may not be able to grant it, and then those tables need such a policy too.
  if (!state.isServiceRoleBypassing && state.isSuperuser) statements.push("alter role service_role bypassrls");
  const hasReplica = state.existing.includes(REPLICA_ROLE);
  if (!hasReplica && state.canCreateRoles) statements.push(`create role ${REPLICA_ROLE} login noinherit`);
  if (!state.isReplicaReplicating && state.canGiveReplication && (hasReplica || state.canCreateRoles))
    statements.push(`alter role ${REPLICA_ROLE} replication`);
  for (const [member, role] of MEMBERSHIPS) {
    if (!state.memberships.includes(`${member}>${role}`)) statements.push(`grant ${role} to ${member}`);
  }
  if (!state.canBecomeOwner && !state.isSuperuser) {
    const options = state.versionNumber >= 160_000 ? " with set true, inherit true" : "";
    statements.push(`grant ${OWNER_ROLE} to current_user${options}`);
  }
  // The statement has no effect unless the owner of the database runs it; the requirements check has warned about that.
  if (state.canEverybodyMakeTemporaryTables && state.ownsDatabase)
    statements.push(`revoke temporary on database ${database} from public`);
  if (!state.canOwnerCreateSchemas)
    statements.push(`grant connect, create, temporary on database ${database} to ${OWNER_ROLE}`);
  // With grant option, the login of the owner suffices to start further nodes on this database.
  if (!state.canOwnerCreateInPublic) {
    statements.push(`grant usage, create on schema public to ${OWNER_ROLE} with grant option`);
  }
  return statements;
}
