import { randomUUID } from "node:crypto";
import type pg from "pg";

/** What an approved request of a client leaves in the database. Returns the id of the session. */
export async function connectPerson(
  pool: pg.Pool,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `with session as (
       insert into auth.sessions (id, user_id, refresh_key_wrapped, api_key_hash) values ($1, $2, '\\x00', sha256($4))
     ), key as (
       insert into public.api_keys (id, user_id, name, scopes, prefix, client_id) values ($1, $2, 'App', '{read}', 'oat_xyz', $3)
     ), consent as (
       insert into auth.oauth_consents (user_id, client_id, resource, scopes, client_name, redirect_uris)
       values ($2, $3, 'https://localhost:8443', '{read}', 'App', '{https://app.example.com/callback}')
     )
     insert into auth.oauth_sessions (id, user_id, client_id, resource, scopes, access_expires_at)
     values ($1, $2, $3, 'https://localhost:8443', '{read}', now() + interval '1 hour')`,
    [id, userId, clientId, Buffer.from(id)],
  );
  return id;
}
