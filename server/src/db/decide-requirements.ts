import pg from "pg";
import type { ServerProperties } from "./sql/select-server-properties.ts";

const OLDEST_VERSION_NUMBER = 150_000;

export interface RequirementReport {
  /** The service cannot run with these. Each names what is missing and the SQL that corrects it. */
  readonly faults: readonly string[];
  /** With these a part of the service cannot run. */
  readonly warnings: readonly string[];
}

/** What one node needs from the server. */
export interface NodeNeeds {
  /** The maximum number of connections; null with a pooler in between. */
  readonly connections: number | null;
}

export function decideRequirements(server: ServerProperties, needs: NodeNeeds): RequirementReport {
  return { faults: [...decideFaults(server)], warnings: [...decideWarnings(server, needs)] };
}

function* decideFaults(server: ServerProperties): Generator<string> {
  const role = pg.escapeIdentifier(server.role);
  const database = pg.escapeIdentifier(server.database);

  if (server.versionNumber < OLDEST_VERSION_NUMBER) {
    yield `PostgreSQL 15 or later is required; this server is ${server.version}.`;
  }
  if (server.isStandby) {
    yield "The server is a read-only standby. Connect to its primary.";
  }
  if (server.isReadOnly && !server.isStandby) {
    yield `The server is read-only: default_transaction_read_only is on for the role ${server.role} in the database ${server.database}. Connect to the primary, or, as a superuser: alter system set default_transaction_read_only = off; select pg_reload_conf();`;
  }
  if (server.encoding !== "UTF8") {
    yield `The database is encoded in ${server.encoding}, not UTF8. Use a database created with: create database swarmbase encoding 'UTF8' template template0;`;
  }
  if (server.missingRoles.length > 0 && !server.canCreateRoles) {
    yield `The role ${server.role} may not create roles, and these do not exist: ${server.missingRoles.join(", ")}. As a superuser: alter role ${role} createrole;`;
  }
  if (server.canBecomeOwner === false && !server.isSuperuser) {
    yield `The role ${server.role} is not a member of swarmbase_owner, which owns the schema. As a superuser: grant swarmbase_owner to ${role};`;
  }
  if (!server.canCreateInDatabase) {
    yield `The role ${server.role} may not create schemas in the database ${server.database}. As its owner: grant create on database ${database} to ${role};`;
  }
  if (!server.canGrantOnPublic) {
    yield `The role ${server.role} may not grant rights on the schema public. As its owner: grant usage, create on schema public to ${role} with grant option;`;
  }
  for (const { name, owner } of server.foreignSchemas) {
    yield `The schema ${name} already exists and belongs to ${owner}. Use a database of its own: create database swarmbase;`;
  }
}

function* decideWarnings(server: ServerProperties, { connections }: NodeNeeds): Generator<string> {
  if (server.isJitOn) {
    yield `jit is on: compiling a short statement takes longer than running it. As its owner: alter database ${pg.escapeIdentifier(server.database)} set jit = off;`;
  }
  if (connections !== null && connections > server.maxConnections) {
    yield `this node opens up to ${connections} connections, and the server permits ${server.maxConnections} in all. Lower DB_POOL_SIZE, or, as a superuser: alter system set max_connections = ${suggestConnections(connections)}; then restart PostgreSQL.`;
  }
  if (server.canEverybodyMakeTemporaryTables && !server.ownsDatabase) {
    const database = pg.escapeIdentifier(server.database);
    yield `Every role may create temporary tables, which only the owner of the database can forbid. As its owner: revoke temporary on database ${database} from public;`;
  }
  if (server.walLevel !== "logical") {
    yield `realtime needs wal_level=logical; it is ${server.walLevel}. As a superuser: alter system set wal_level = 'logical'; then restart PostgreSQL.`;
  }
  if (server.maxWalSenders < 1) {
    yield "realtime needs max_wal_senders of at least 1. As a superuser: alter system set max_wal_senders = 10; then restart PostgreSQL.";
  }
  if (server.maxReplicationSlots < 1) {
    yield "realtime needs max_replication_slots of at least 1. As a superuser: alter system set max_replication_slots = 10; then restart PostgreSQL.";
  }
  if (!server.canReplicate) {
    yield `realtime needs the right to replicate, which the role ${server.role} lacks. As a superuser: alter role ${pg.escapeIdentifier(server.role)} replication;`;
  }
}

/** Enough for this node, another one beside it during a deployment, and administrators. */
function suggestConnections(needed: number): number {
  return Math.ceil((needed * 2 + 10) / 50) * 50;
}
