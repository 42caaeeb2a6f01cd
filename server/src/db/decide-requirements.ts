import pg from "pg";
import type { ServerFacts } from "./sql/select-server-facts.ts";

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

export function decideRequirements(facts: ServerFacts, needs: NodeNeeds): RequirementReport {
  return { faults: [...decideFaults(facts)], warnings: [...decideWarnings(facts, needs)] };
}

function* decideFaults(facts: ServerFacts): Generator<string> {
  const role = pg.escapeIdentifier(facts.role);
  const database = pg.escapeIdentifier(facts.database);

  if (facts.versionNumber < OLDEST_VERSION_NUMBER) {
    yield `PostgreSQL 15 or later is required; this server is ${facts.version}.`;
  }
  if (facts.isStandby) {
    yield "The server is a read-only standby. Connect to its primary.";
  }
  if (facts.isReadOnly && !facts.isStandby) {
    yield `The server is read-only: default_transaction_read_only is on for the role ${facts.role} in the database ${facts.database}. Connect to the primary, or, as a superuser: alter system set default_transaction_read_only = off; select pg_reload_conf();`;
  }
  if (facts.encoding !== "UTF8") {
    yield `The database is encoded in ${facts.encoding}, not UTF8. Use a database created with: create database swarmbase encoding 'UTF8' template template0;`;
  }
  if (facts.missingRoles.length > 0 && !facts.canCreateRoles) {
    yield `The role ${facts.role} may not create roles, and these do not exist: ${facts.missingRoles.join(", ")}. As a superuser: alter role ${role} createrole;`;
  }
  if (facts.canBecomeOwner === false && !facts.isSuperuser) {
    yield `The role ${facts.role} is not a member of swarmbase_owner, which owns the schema. As a superuser: grant swarmbase_owner to ${role};`;
  }
  if (!facts.canCreateInDatabase) {
    yield `The role ${facts.role} may not create schemas in the database ${facts.database}. As its owner: grant create on database ${database} to ${role};`;
  }
  if (!facts.canGrantOnPublic) {
    yield `The role ${facts.role} may not grant rights on the schema public. As its owner: grant usage, create on schema public to ${role} with grant option;`;
  }
  for (const { name, owner } of facts.foreignSchemas) {
    yield `The schema ${name} already exists and belongs to ${owner}. Use a database of its own: create database swarmbase;`;
  }
}

function* decideWarnings(facts: ServerFacts, { connections }: NodeNeeds): Generator<string> {
  if (facts.isJitOn) {
    yield `jit is on: compiling a short statement takes longer than running it. As its owner: alter database ${pg.escapeIdentifier(facts.database)} set jit = off;`;
  }
  if (connections !== null && connections > facts.maxConnections) {
    yield `this node opens up to ${connections} connections, and the server permits ${facts.maxConnections} in all. Lower DB_POOL_SIZE, or, as a superuser: alter system set max_connections = ${suggestConnections(connections)}; then restart PostgreSQL.`;
  }
  if (facts.canEverybodyMakeTemporaryTables && !facts.ownsDatabase) {
    const database = pg.escapeIdentifier(facts.database);
    yield `Every role may create temporary tables, which only the owner of the database can forbid. As its owner: revoke temporary on database ${database} from public;`;
  }
  if (facts.walLevel !== "logical") {
    yield `realtime needs wal_level=logical; it is ${facts.walLevel}. As a superuser: alter system set wal_level = 'logical'; then restart PostgreSQL.`;
  }
  if (facts.maxWalSenders < 1) {
    yield "realtime needs max_wal_senders of at least 1. As a superuser: alter system set max_wal_senders = 10; then restart PostgreSQL.";
  }
  if (facts.maxReplicationSlots < 1) {
    yield "realtime needs max_replication_slots of at least 1. As a superuser: alter system set max_replication_slots = 10; then restart PostgreSQL.";
  }
  if (!facts.canReplicate) {
    yield `realtime needs the right to replicate, which the role ${facts.role} lacks. As a superuser: alter role ${pg.escapeIdentifier(facts.role)} replication;`;
  }
}

/** Room for this node, another one beside it during a deployment, and administrators. */
function suggestConnections(needed: number): number {
  return Math.ceil((needed * 2 + 10) / 50) * 50;
}
