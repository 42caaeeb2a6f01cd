import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../time/index.ts";
import type { KeyRing } from "./key-ring.ts";
import { type VerifiedToken, verifySignedToken } from "./verify-signed-token.ts";

const DEFAULT_MAX_COUNT = 10_000;
/** Large tokens are rare; keeping them would decide the memory usage. */
const KEPT_MAX_LENGTH = 8 * 1024;

interface VerifiedTokensOptions {
  readonly maxCount?: number;
  readonly onVerified?: (token: VerifiedToken) => void;
}

/**
 * Caches verified signatures only: an entry ends with its token or with the key that signed it, and the database
 * checks the session for each request. The cache stores hashes of tokens, not the tokens.
 */
export class VerifiedTokens {
  readonly #tokens: LRUCache<string, VerifiedToken>;
  readonly #onVerified: (token: VerifiedToken) => void;

  /** Beyond `maxCount`, the least recently used token is dropped. `onVerified` gets each token that is not cached. */
  constructor({ maxCount = DEFAULT_MAX_COUNT, onVerified = () => {} }: VerifiedTokensOptions = {}) {
    this.#tokens = new LRUCache({ max: maxCount });
    this.#onVerified = onVerified;
  }

  get count(): number {
    return this.#tokens.size;
  }

  async verify(ring: KeyRing, token: string, clock: Clock): Promise<VerifiedToken> {
    if (token.length > KEPT_MAX_LENGTH) return this.#verifyNew(ring, token, clock);
    const id = hash("sha256", token, "base64");
    const known = this.#tokens.get(id);
    if (known !== undefined) {
      if (ring.has(known.kid) && known.expiresAtSeconds > clock.now().getTime() / 1000) return known;
      this.#tokens.delete(id);
    }
    const verified = await this.#verifyNew(ring, token, clock);
    this.#tokens.set(id, verified);
    return verified;
  }

  async #verifyNew(ring: KeyRing, token: string, clock: Clock): Promise<VerifiedToken> {
    const verified = await verifySignedToken(ring, token, clock);
    this.#onVerified(verified);
    return verified;
  }
}
