import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JWK } from "jose";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { inTransaction } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { type CurrentSigningKey, type LoadedKeys, loadKeys, type VerifyingKey } from "../keys/load-keys.ts";
import type { KeyRole } from "../keys/stored-keys.ts";

/** How long a rotation or a revocation takes to reach a node that meets no token of the new key. */
const RELOAD_EVERY_MS = 15_000;
/** A key that is not on the ring may be new; it is looked for at most this often, whoever asks for whatever. */
const LOOK_AGAIN_AFTER_MS = 1_000;
const REMEMBER_ABSENT_MS = 60_000;
const ABSENT_MAX_COUNT = 1_000;
const API_KEY_MAX_LENGTH = 4_096;

export interface KeyRingOptions {
  readonly pool: pg.Pool;
  readonly masterKey: string;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly anonKeyOverride: string | null;
  readonly serviceRoleKeyOverride: string | null;
}

interface ApiKeyEntry {
  readonly role: KeyRole;
  readonly revokedAt: Date | null;
}

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  return new KeyRing(options, await readKeys(options));
}

/** The keys of the deployment as this node knows them; what other nodes change arrives without a restart. */
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
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #lookFailure: Error | null = null;

  constructor(options: KeyRingOptions, keys: LoadedKeys) {
    this.#options = options;
    this.#current = keys.currentSigningKey;
    this.#verifying = new Map();
    this.#take(keys);
  }

  /** What new access tokens are signed with. */
  get current(): CurrentSigningKey {
    return this.#current;
  }

  /** What anyone may verify access tokens with. */
  get jwks(): readonly JWK[] {
    return this.#jwks;
  }

  /** The imported secret, when there is exactly one: its tokens may come from a time without key ids. */
  get onlySecret(): VerifyingKey | null {
    return this.#onlySecret;
  }

  has(kid: string): boolean {
    return this.#verifying.has(kid);
  }

  /** The key of this id, looked for in the database when it is new to this node. Throws while that cannot be asked. */
  async findKey(kid: string): Promise<VerifyingKey | null> {
    return this.#findOrLook(kid, () => this.#verifying.get(kid) ?? null);
  }

  /** The role of a key that a client presents, looked for in the database when it is new to this node. */
  async findNewApiKeyRole(presented: string): Promise<KeyRole | null> {
    const role = this.findApiKeyRole(presented);
    if (role !== null || presented.length > API_KEY_MAX_LENGTH) return role;
    const id = `api-key:${hash("sha256", presented, "base64")}`;
    return this.#findOrLook(id, () => this.findApiKeyRole(presented));
  }

  /** Looked up by its hash, so that the time taken tells nothing about a key to who does not have it whole. */
  findApiKeyRole(presented: string): KeyRole | null {
    // Their lengths are no secret, and most bearers are tokens of another one.
    if (!this.#apiKeyLengths.has(presented.length)) return null;
    const entry = this.#apiKeysByHash.get(hash("sha256", presented, "base64"));
    if (entry === undefined) return null;
    return entry.revokedAt === null || entry.revokedAt > this.#options.clock.now() ? entry.role : null;
  }

  /** Callers at the same time share one reading. */
  async reload(): Promise<void> {
    this.#reloading ??= readKeys(this.#options)
      .then((keys) => this.#take(keys))
      .finally(() => {
        this.#reloading = null;
      });
    await this.#reloading;
  }

  /** Reloads now and then until the signal. A database that is away leaves the keys as they are. */
  async watch(signal: AbortSignal, { everyMs = RELOAD_EVERY_MS } = {}): Promise<void> {
    for (;;) {
      await sleep(everyMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.reload().catch((error: unknown) => this.#options.observer.note("keys.reload_failed", { error }));
    }
  }

  async #findOrLook<T>(id: string, find: () => T | null): Promise<T | null> {
    const known = find();
    if (known !== null) return known;
    if ((this.#absentUntilMs.get(id) ?? 0) > performance.now()) return null;
    const hasLooked = await this.#lookAgain();
    const found = find();
    if (found === null && hasLooked) this.#absentUntilMs.set(id, performance.now() + REMEMBER_ABSENT_MS);
    return found;
  }

  /** Whether the keys were read after the question was put: a reading under way may have begun before the key was there. */
  async #lookAgain(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#reloading !== null) {
      await this.reload();
      return false;
    }
    if (nowMs - this.#lookedAtMs < LOOK_AGAIN_AFTER_MS) {
      if (this.#lookFailure !== null) throw this.#lookFailure;
      return false;
    }
    this.#lookedAtMs = nowMs;
    try {
      await this.reload();
      this.#lookFailure = null;
      return true;
    } catch (error) {
      this.#lookFailure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  #take(keys: LoadedKeys): void {
    const accessKeys = keys.signingKeys.filter(({ purpose }) => purpose === "access_token");
    const secrets = accessKeys.filter(({ algorithm }) => algorithm === "HS256");
    this.#current = keys.currentSigningKey;
    // Role keys are good by being on the list of API keys, not by their signature: a revoked one stays revoked.
    this.#verifying = new Map(accessKeys.map((key) => [key.kid, key]));
    this.#jwks = accessKeys.flatMap(({ jwk }) => (jwk === null ? [] : [jwk]));
    this.#onlySecret = secrets.length === 1 ? (secrets[0] ?? null) : null;
    this.#apiKeyLengths = new Set(keys.apiKeys.map(({ token }) => token.length));
    // The first of a kind wins: what the operator set comes before what is stored.
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
