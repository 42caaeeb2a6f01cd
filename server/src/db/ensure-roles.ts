import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import { withRole } from "./connection.ts";
import { LOGIN_ROLES, type LoginRole, OWNER_ROLE, planRoles, REPLICA_ROLE, ROLES } from "./plan-roles.ts";
import { buildScramVerifier } from "./scram-verifier.ts";
import { selectRoleFacts } from "./sql/select-role-facts.ts";

const ATTEMPTS = 6;
/** Roles belong to the whole server, so another database may be creating the same ones concurrently. */
const CLASH_CODES = new Set(["23505", "42710", "XX000", "40001", "40P01"]);
/** undefined_object and insufficient_privilege. */
const NOT_OURS_CODES = new Set(["42704", "42501"]);
const WRONG_PASSWORD_CODES = new Set(["28P01", "28000"]);

export interface EnsureRolesOptions {
  readonly adminUrl: string;
  readonly masterKey: string;
}

/** Creates missing roles, and sets the passwords of the login roles that derive from this master key. */
export async function ensureRoles(client: pg.Client, options: EnsureRolesOptions): Promise<void> {
  await retryOnClash(async () => {
    const facts = await selectRoleFacts(client, {
      roles: [...ROLES, REPLICA_ROLE],
      ownerRole: OWNER_ROLE,
      replicaRole: REPLICA_ROLE,
    });
    const statements = planRoles(facts);
    if (statements.length === 0) return;
    await client.query(["begin", ...statements, "commit"].join(";\n")).catch(async (error: unknown) => {
      await client.query("rollback");
      throw error;
    });
  });
  const locked = await Promise.all(LOGIN_ROLES.map((role) => isLockedOut(role, options)));
  for (const role of LOGIN_ROLES.filter((_, place) => locked[place])) {
    await retryOnClash(() => setPassword(client, role, options.masterKey));
  }
  await openReplica(client, options);
}

/** Realtime reports a role that is missing or belongs to another administrator; everything else works without it. */
async function openReplica(client: pg.Client, options: EnsureRolesOptions): Promise<void> {
  if (!(await isLockedOut(REPLICA_ROLE, options))) return;
  await retryOnClash(() => setPassword(client, REPLICA_ROLE, options.masterKey)).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || !NOT_OURS_CODES.has(error.code ?? "")) throw error;
  });
}

async function isLockedOut(role: LoginRole, { adminUrl, masterKey }: EnsureRolesOptions): Promise<boolean> {
  const client = new pg.Client({ connectionString: withRole(adminUrl, role, derivePassword(masterKey, role)) });
  client.on("error", () => {});
  try {
    await client.connect();
    return false;
  } catch (error) {
    if (error instanceof pg.DatabaseError && WRONG_PASSWORD_CODES.has(error.code ?? "")) return true;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Sends the verifier instead of the password, which a statement log or activity view could show. */
async function setPassword(client: pg.Client, role: LoginRole, masterKey: string): Promise<void> {
  const verifier = buildScramVerifier(derivePassword(masterKey, role));
  await client.query(`alter role ${role} password ${pg.escapeLiteral(verifier)}`);
}

async function retryOnClash(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isClash = error instanceof pg.DatabaseError && CLASH_CODES.has(error.code ?? "");
      if (!isClash || attempt === ATTEMPTS) throw error;
      await delay(20 * 2 ** attempt * Math.random());
    }
  }
}
