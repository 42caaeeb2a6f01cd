import pg from "pg";
import type { ServerFacts } from "./sql/select-server-facts.ts";

const OLDEST_VERSION_NUMBER = 150_000;

export interface RequirementReport {
  /** Without these the service cannot run. Each says what is missing and the SQL that mends it. */
  readonly faults: readonly string[];
  /** Without these a part of it cannot. */
  readonly warnings: readonly string[];
}

export function decideRequirements(facts: ServerFacts): RequirementReport {
  return { faults: [...decideFaults(facts)], warnings: [...decideWarnings(facts)] };
}

function* decideFaults(facts: ServerFacts): Generator<string> {
  const role = pg.escapeIdentifier(facts.role);
  const database = pg.escapeIdentifier(facts.database);

  if (facts.versionNumber < OLDEST_VERSION_NUMBER) {
    yield `PostgreSQL 15 or later is needed; this server is ${facts.version}.`;
  }
  if (facts.isStandby) {
    yield "The server is a read-only standby. Connect to its primary.";
  }
  if (facts.encoding !== "UTF8") {
    yield `The database is encoded in ${facts.encoding}, not UTF8. Use a database made with: create database swarmbase encoding 'UTF8' template template0;`;
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
    yield `The role ${facts.role} may not give rights on the schema public. As its owner: grant usage, create on schema public to ${role} with grant option;`;
  }
  for (const { name, owner } of facts.foreignSchemas) {
    yield `The schema ${name} already exists and belongs to ${owner}. Use a database of its own: create database swarmbase;`;
  }
}

function* decideWarnings(facts: ServerFacts): Generator<string> {
  if (facts.canEverybodyMakeTemporaryTables && !facts.ownsDatabase) {
    const database = pg.escapeIdentifier(facts.database);
    yield `Every role may make temporary tables, which only the database's owner can end. As its owner: revoke temporary on database ${database} from public;`;
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
