import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import { withClient } from "./connect-client.ts";
import { withRole } from "./connection.ts";
import { LOGIN_ROLES, type LoginRole, planRoles, REPLICA_ROLE } from "./plan-roles.ts";
import { buildScramVerifier } from "./scram-verifier.ts";
import { selectRoleState } from "./sql/select-role-state.ts";

const ATTEMPTS = 6;
/** Roles belong to the whole server, so another database may be creating the same ones concurrently. */
const CLASH_CODES = new Set(["23505", "42710", "XX000", "40001", "40P01"]);
/** undefined_object and insufficient_privilege. */
const NOT_OURS_CODES = new Set(["42704", "42501"]);
const WRONG_PASSWORD_CODES = new Set(["28P01", "28000"]);

interface EnsureRolesOptions {
  readonly adminUrl: string;
  readonly masterKey: string;
}

/** Creates missing roles, and sets the passwords of the login roles that derive from this master key. */
export async function ensureRoles(client: pg.Client, options: EnsureRolesOptions): Promise<void> {
  await retryOnClash(async () => {
    const statements = planRoles(await selectRoleState(client));
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
    if (!hasCode(error, NOT_OURS_CODES)) throw error;
  });
}

async function isLockedOut(role: LoginRole, { adminUrl, masterKey }: EnsureRolesOptions): Promise<boolean> {
  const url = withRole(adminUrl, role, derivePassword(masterKey, role));
  return withClient(url, async () => false).catch((error: unknown) => {
    if (hasCode(error, WRONG_PASSWORD_CODES)) return true;
    throw error;
  });
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
      if (!hasCode(error, CLASH_CODES) || attempt === ATTEMPTS) throw error;
      await delay(20 * 2 ** attempt * Math.random());
    }
  }
}

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof pg.DatabaseError && codes.has(error.code ?? "");
}
