import { type Principal, shareKeyOf } from "../db/index.ts";
import { AppError } from "../errors/index.ts";

/** Smaller responses are not counted, so that large ones of others do not affect them. */
const UNCOUNTED_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 2;
/** Of the limit, for one user. */
const USER_SHARE = 1 / 4;

/** The bytes of all responses that are being received from the database or sent to clients. */
export class BufferedBytes {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  open(principal: Principal): BufferedResponse {
    return new BufferedResponse(this, principal.role === "service_role" ? null : shareKeyOf(principal));
  }

  /** Adds bytes. False when they exceed the limit. The service role can use all of it. */
  reserve(caller: string | null, count: number): boolean {
    this.#total += count;
    if (caller !== null) this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + count);
    return this.#total <= this.#maxBytes && this.hasShare(caller);
  }

  hasShare(caller: string | null): boolean {
    return caller === null || (this.#byCaller.get(caller) ?? 0) <= this.#maxBytes * USER_SHARE;
  }

  release(caller: string | null, count: number): void {
    this.#total -= count;
    if (caller === null) return;
    const own = (this.#byCaller.get(caller) ?? 0) - count;
    if (own > 0) this.#byCaller.set(caller, own);
    else this.#byCaller.delete(caller);
  }
}

/** The bytes of one response. */
export class BufferedResponse {
  readonly #all: BufferedBytes;
  readonly #caller: string | null;
  #received = 0;
  #reserved = 0;

  constructor(all: BufferedBytes, caller: string | null) {
    this.#all = all;
    this.#caller = caller;
  }

  get isCounted(): boolean {
    return this.#reserved > 0;
  }

  /** Counts bytes. Returns an error when the limit is exceeded; they count until they are released nevertheless. */
  readonly add = (count: number): AppError | null => {
    this.#received += count;
    if (this.#received <= UNCOUNTED_BYTES) return null;
    const more = this.#received - this.#reserved;
    this.#reserved = this.#received;
    return this.#all.reserve(this.#caller, more) ? null : tooManyBytesError();
  };

  /** For responses that cannot be rejected when their bytes arrive. */
  requireShare(): void {
    if (!this.#all.hasShare(this.#caller)) throw tooManyBytesError();
  }

  readonly release = (): void => {
    this.#all.release(this.#caller, this.#reserved);
    this.#reserved = 0;
    this.#received = 0;
  };
}

function tooManyBytesError(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Too many large responses are being sent at the moment.", {
    hint: "Read the responses that you have requested before you request more, or request less at a time.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
