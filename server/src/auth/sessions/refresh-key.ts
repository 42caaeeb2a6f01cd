import { randomBytes } from "node:crypto";
import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import type { SessionRow } from "../sql/sessions.ts";

const PURPOSE = "refresh-keys";
const KEY_BYTES = 32;

interface NewRefreshKey {
  readonly refreshKey: Buffer;
  readonly wrapped: Buffer;
}

/** For a new session, or to invalidate the refresh tokens of an existing one. */
export function makeRefreshKey(sessionId: string, masterKey: string): NewRefreshKey {
  const refreshKey = randomBytes(KEY_BYTES);
  const wrapped = wrapSecret(deriveKey(masterKey, PURPOSE), refreshKey, contextOf(sessionId));
  return { refreshKey, wrapped };
}

/** The key that signs the refresh tokens of one session. */
export function openRefreshKey(session: SessionRow, masterKey: string): Buffer {
  return unwrapSecret(deriveKey(masterKey, PURPOSE), session.refresh_key_wrapped, contextOf(session.id));
}

function contextOf(sessionId: string): string {
  return `refresh-key:${sessionId}`;
}
