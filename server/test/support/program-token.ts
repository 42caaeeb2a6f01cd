import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { formatKey, hashUserKey } from "../../src/auth/user-keys/key-format.ts";

export interface ProgramOptions {
  readonly userId: string;
  readonly scopes: readonly string[];
  /** The address that the token is for. */
  readonly resource: string;
  readonly clientId?: string;
  readonly resources?: { readonly agents: readonly string[]; readonly swarms: readonly string[] } | null;
  readonly expiresAt?: Date;
  /** How often the session was refreshed. */
  readonly refreshCounter?: number;
}

export interface ProgramToken {
  readonly token: string;
  readonly sessionId: string;
}

export const CLIENT_ID = "https://program.example/client.json";

/** Lets a program in, as the consent of the user and the redeemed code do. `owner` is the owner of the schema. */
export async function letProgramIn(owner: pg.Client | pg.Pool, options: ProgramOptions): Promise<ProgramToken> {
  const { userId, scopes, resource, clientId = CLIENT_ID, resources = null, refreshCounter = 0 } = options;
  const expiresAt = options.expiresAt ?? new Date(Date.now() + 3_600_000);
  const sessionId = randomUUID();
  await owner.query(
    `insert into auth.oauth_clients (id, registration, name, redirect_uris)
     values ($1, 'document', 'Program', '{https://program.example/back}') on conflict (id) do nothing`,
    [clientId],
  );
  const token = formatKey("oat_", randomBytes(32));
  await owner.query(
    `insert into auth.sessions (id, user_id, aal, api_key_hash, refresh_key_wrapped, refresh_counter, not_after)
     values ($1, $2, 'aal1', $3, 'x', $4, now() + interval '30 days')`,
    [sessionId, userId, hashUserKey(token), refreshCounter],
  );
  await owner.query(
    `insert into public.api_keys (id, user_id, name, scopes, prefix, resources, client_id)
     values ($1, $2, 'Program', $3, 'oat_', $4, $5)`,
    [sessionId, userId, scopes, resources, clientId],
  );
  await owner.query(
    `insert into auth.oauth_sessions (id, user_id, client_id, resource, scopes, access_expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [sessionId, userId, clientId, resource, scopes, expiresAt],
  );
  return { token, sessionId };
}
