import { createBatcher } from "@swarmbase/concurrency";
import { LRUCache } from "lru-cache";
import type { Claims, Queryable, UserPrincipal } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { type KnownUserKey, markKeysUsed, selectUserKeys } from "../sql/user-keys.ts";
import { invalidKeyError } from "./invalid-key-error.ts";
import { hashUserKey, isProgramKey, isWellFormedKey } from "./key-format.ts";

/** `last_used_at` is at most this much too old. A key in constant use costs each node one write per interval. */
const INTERVAL_MS = 60_000;

const FLUSH_MS = 1_000;

const MAX_REMEMBERED = 10_000;

/** Records when keys were last used, in batches. What is lost when a node dies is recorded by the next use. */
class KeyUses {
  readonly #db: Queryable;
  readonly #observer: Observer;
  readonly #clock: Clock;
  readonly #notedAtMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  #pending = new Map<string, Date>();
  #timer: NodeJS.Timeout | null = null;

  constructor({ pool, observer, clock }: { pool: Queryable; observer: Observer; clock: Clock }) {
    this.#db = pool;
    this.#observer = observer;
    this.#clock = clock;
  }

  note(id: string): void {
    const now = this.#clock.now();
    const notedAtMs = this.#notedAtMs.get(id);
    if (notedAtMs !== undefined && now.getTime() - notedAtMs < INTERVAL_MS) return;
    this.#notedAtMs.set(id, now.getTime());
    if (this.#pending.size < MAX_REMEMBERED) this.#pending.set(id, now);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes what is pending. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending.size === 0) return;
    const batch = this.#pending;
    this.#pending = new Map();
    try {
      await markKeysUsed(this.#db, batch);
    } catch (error) {
      this.#observer.note("api_key.use_failed", { error });
      for (const id of batch.keys()) this.#notedAtMs.delete(id);
    }
  }
}

const MAX_COUNT = 10_000;
/** How old the claims of a key can be: e-mail address and metadata of the user. */
const MAX_AGE_MS = 60_000;
/** Keys that are looked up together. */
const MAX_BATCH = 500;

interface VerifiedUserKeysOptions {
  readonly pool: Queryable;
  readonly clock: Clock;
  readonly observer: Observer;
  /** Whether a key that was made without a second factor ends when its user adds one. */
  readonly isAal2Required: boolean;
  /** Gets the claims of each token of a program that is looked up, whose refresh has so reached the program. */
  onProgram?(claims: Claims): void;
}

interface Verified {
  readonly principal: UserPrincipal;
  readonly verifiedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * The principals of API keys, and of programs, whose access tokens are keys that a refresh replaces. The cache saves the lookup of a
 * key, never the check whether it is active: the transaction or the auth guard does that for every request, as for the session of a
 * token. An access token that a refresh has replaced ends when its entry is too old.
 */
export class VerifiedUserKeys {
  readonly #options: VerifiedUserKeysOptions;
  readonly #uses: KeyUses;
  readonly #verified = new LRUCache<string, Verified>({ max: MAX_COUNT });
  /** One lookup at a time: a flood of forged keys takes one connection. */
  readonly #find: (hash: Buffer) => Promise<KnownUserKey | null>;

  constructor(options: VerifiedUserKeysOptions) {
    this.#options = options;
    this.#uses = new KeyUses(options);
    this.#find = createBatcher<Buffer, KnownUserKey | null>({
      run: async (hashes) => {
        const rows = await selectUserKeys(options.pool, hashes);
        return hashes.map((hash) => rows.find((row) => row.hash.equals(hash)) ?? null);
      },
      maxItems: MAX_BATCH,
    });
  }

  /** Throws 401 for a key that does not exist. */
  async verify(key: string): Promise<UserPrincipal> {
    const isOfProgram = isProgramKey(key);
    if (!isWellFormedKey(key)) throw invalidKeyError(isOfProgram);
    const nowMs = this.#options.clock.now().getTime();
    const hash = hashUserKey(key);
    const id = hash.toString("base64");
    const known = this.#verified.get(id);
    const verified =
      known !== undefined && nowMs - known.verifiedAtMs < MAX_AGE_MS ? known : await this.#load(hash, nowMs);
    if (verified === null || verified.expiresAtMs <= nowMs) {
      this.#verified.delete(id);
      throw invalidKeyError(isOfProgram);
    }
    if (verified !== known) this.#verified.set(id, verified);
    this.#uses.note(verified.principal.session?.sessionId ?? "");
    return verified.principal;
  }

  /** Writes which keys were used. Never rejects. */
  flush(): Promise<void> {
    return this.#uses.flush();
  }

  async #load(hash: Buffer, verifiedAtMs: number): Promise<Verified | null> {
    const row = await this.#find(hash);
    if (row === null) return null;
    const { isAal2Required, onProgram } = this.#options;
    const principal = toPrincipal(row, isAal2Required);
    if (principal.client !== undefined) onProgram?.(principal.claims);
    const ends = [row.not_after, row.access_expires_at].map((end) => end?.getTime() ?? Number.POSITIVE_INFINITY);
    return { principal, verifiedAtMs, expiresAtMs: Math.min(...ends) };
  }
}

function toPrincipal(row: KnownUserKey, isAal2Required: boolean): UserPrincipal {
  const { id, user_id: userId, scopes, resources, aal, created_at: createdAt, client_id: clientId, resource } = row;
  const expiresAt = row.access_expires_at ?? row.not_after;
  return {
    role: "authenticated",
    userId,
    scopes,
    resources,
    claims: {
      sub: userId,
      aud: "authenticated",
      role: "authenticated",
      iat: toSeconds(createdAt),
      ...(expiresAt !== null && { exp: toSeconds(expiresAt) }),
      email: row.email ?? "",
      phone: "",
      app_metadata: row.app_metadata,
      user_metadata: row.user_metadata,
      aal,
      amr: [{ method: clientId === null ? "api_key" : "oauth", timestamp: toSeconds(createdAt) }],
      session_id: id,
      is_anonymous: row.is_anonymous,
      api_key_id: id,
      scopes,
      resources,
      ...(clientId !== null && { client_id: clientId, refresh_counter: Number(row.refresh_counter) }),
    },
    ...(clientId !== null && resource !== null && { client: { id: clientId, resource } }),
    session: { userId, sessionId: id, inactivitySeconds: 0, isAal2Required },
  };
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
