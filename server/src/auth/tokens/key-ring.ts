import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JWK } from "jose";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { inTransaction } from "../../db/index.ts";
import { type Commits, UNWATCHED } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { type CurrentSigningKey, type LoadedKeys, loadKeys, type VerifyingKey } from "../keys/load-keys.ts";
import type { KeyRole } from "../keys/stored-keys.ts";

/** How long a rotation or a revocation takes to reach a node that sees no token of the new key. */
const RELOAD_EVERY_MS = 15_000;
/** An unknown key can be new; the database is asked for it at most this often. */
const MIN_RELOAD_INTERVAL_MS = 1_000;
const ABSENT_TTL_MS = 60_000;
const ABSENT_MAX_COUNT = 1_000;
const API_KEY_MAX_LENGTH = 4_096;

interface KeyRingOptions {
  readonly pool: pg.Pool;
  readonly masterKey: string;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly anonKeyOverride: string | null;
  readonly serviceRoleKeyOverride: string | null;
}

interface WatchOptions {
  readonly everyMs?: number;
  readonly commits?: Commits;
}

interface ApiKeyEntry {
  readonly role: KeyRole;
  readonly revokedAt: Date | null;
}

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  return new KeyRing(options, await readKeys(options));
}

/** The keys of the deployment as this node knows them. Changes by other nodes arrive without a restart. */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #absentUntilMs = new LRUCache<string, number>({ max: ABSENT_MAX_COUNT });
  #current: CurrentSigningKey;
  #verifying: ReadonlyMap<string, VerifyingKey>;
  #jwks: readonly JWK[] = [];
  #onlySecret: VerifyingKey | null = null;
  #apiKeyLengths: ReadonlySet<number> = new Set();
  #apiKeysByHash: ReadonlyMap<string, ApiKeyEntry> = new Map();
  #reloading: Promise<void> | null = null;
  #lastReloadMs = Number.NEGATIVE_INFINITY;
  #reloadFailure: Error | null = null;

  constructor(options: KeyRingOptions, keys: LoadedKeys) {
    this.#options = options;
    this.#current = keys.currentSigningKey;
    this.#verifying = new Map();
    this.#take(keys);
  }

  /** The key that signs new access tokens. */
  get current(): CurrentSigningKey {
    return this.#current;
  }

  /** The public keys that verify access tokens. */
  get jwks(): readonly JWK[] {
    return this.#jwks;
  }

  /** The imported secret, when there is exactly one: its tokens can lack a key id. */
  get onlySecret(): VerifyingKey | null {
    return this.#onlySecret;
  }

  has(kid: string): boolean {
    return this.#verifying.has(kid);
  }

  /** Queries the database for keys that are unknown to this node. Throws while it is unavailable. */
  async findKey(kid: string): Promise<VerifyingKey | null> {
    return this.#findOrReload(kid, () => this.#verifying.get(kid) ?? null);
  }

  /** Returns the role of an API key, after a lookup in the database when the key is unknown to this node. */
  async findNewApiKeyRole(presented: string): Promise<KeyRole | null> {
    const role = this.findApiKeyRole(presented);
    if (role !== null || presented.length > API_KEY_MAX_LENGTH) return role;
    const id = `api-key:${hash("sha256", presented, "base64")}`;
    return this.#findOrReload(id, () => this.findApiKeyRole(presented));
  }

  /** Compares hashes, so that the time reveals nothing about a key. */
  findApiKeyRole(presented: string): KeyRole | null {
    // The lengths of keys are not secret, and most bearers are tokens of another length.
    if (!this.#apiKeyLengths.has(presented.length)) return null;
    const entry = this.#apiKeysByHash.get(hash("sha256", presented, "base64"));
    if (entry === undefined) return null;
    return entry.revokedAt === null || entry.revokedAt > this.#options.clock.now() ? entry.role : null;
  }

  /** Concurrent callers share one query. */
  async reload(): Promise<void> {
    this.#reloading ??= readKeys(this.#options)
      .then((keys) => this.#take(keys))
      .finally(() => {
        this.#reloading = null;
      });
    await this.#reloading;
  }

  /** Reloads periodically until the signal, if there was a commit. The keys stay as they are while the database is unavailable. */
  async watch(
    signal: AbortSignal,
    { everyMs = RELOAD_EVERY_MS, commits = UNWATCHED }: WatchOptions = {},
  ): Promise<void> {
    for (;;) {
      const { version } = commits;
      await sleep(everyMs, undefined, { signal }).catch(() => {});
      await commits.after(version, signal);
      if (signal.aborted) return;
      await this.reload().catch((error: unknown) => this.#options.observer.note("keys.reload_failed", { error }));
    }
  }

  async #findOrReload<T>(id: string, find: () => T | null): Promise<T | null> {
    const known = find();
    if (known !== null) return known;
    if ((this.#absentUntilMs.get(id) ?? 0) > performance.now()) return null;
    const hasReloaded = await this.#reloadForUnknown();
    const found = find();
    if (found === null && hasReloaded) this.#absentUntilMs.set(id, performance.now() + ABSENT_TTL_MS);
    return found;
  }

  /** Returns whether the keys were read after this call began; an earlier query can miss a new key. */
  async #reloadForUnknown(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#reloading !== null) {
      await this.reload();
      return false;
    }
    if (nowMs - this.#lastReloadMs < MIN_RELOAD_INTERVAL_MS) {
      if (this.#reloadFailure !== null) throw this.#reloadFailure;
      return false;
    }
    this.#lastReloadMs = nowMs;
    try {
      await this.reload();
      this.#reloadFailure = null;
      return true;
    } catch (error) {
      this.#reloadFailure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  #take(keys: LoadedKeys): void {
    const accessKeys = keys.signingKeys.filter(({ purpose }) => purpose === "access_token");
    const secrets = accessKeys.filter(({ algorithm }) => algorithm === "HS256");
    this.#current = keys.currentSigningKey;
    // API keys are valid by being listed, not by their signature: a revoked one stays revoked.
    this.#verifying = new Map(accessKeys.map((key) => [key.kid, key]));
    this.#jwks = accessKeys.flatMap(({ jwk }) => (jwk === null ? [] : [jwk]));
    this.#onlySecret = secrets.length === 1 ? (secrets[0] ?? null) : null;
    this.#apiKeyLengths = new Set(keys.apiKeys.map(({ token }) => token.length));
    // The first one wins: the operator's keys come before the stored ones.
    this.#apiKeysByHash = new Map(
      keys.apiKeys
        .toReversed()
        .map(({ role, token, revokedAt }) => [hash("sha256", token, "base64"), { role, revokedAt }]),
    );
  }
}

async function readKeys(options: KeyRingOptions): Promise<LoadedKeys> {
  return inTransaction(options.pool, (client) => loadKeys(client, options));
}
