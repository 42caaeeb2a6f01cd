import { type Principal, shareKeyOf } from "../db/index.ts";
import { AppError } from "../errors/index.ts";

/** Smaller responses are not counted, so that large ones of others do not affect them. */
const UNCOUNTED_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 2;
/** Of the limit, for one user. */
const USER_SHARE = 1 / 4;

interface CallerBytes {
  count: number;
  /** As `performance.now()` gives it: until then only quick reads of the caller run. */
  heldBackUntilMs: number;
}

/** The bytes of all responses that are being received from the database or sent to clients. */
export class BufferedBytes {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, CallerBytes>();
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
    if (caller !== null) {
      const own = this.#byCaller.get(caller) ?? { count: 0, heldBackUntilMs: 0 };
      own.count += count;
      this.#byCaller.set(caller, own);
    }
    return this.#total <= this.#maxBytes && this.hasShare(caller);
  }

  hasShare(caller: string | null): boolean {
    return this.#countOf(caller) <= this.#maxBytes * USER_SHARE;
  }

  /** Whether a response of this caller was refused a moment ago, and none was sent since. */
  isHeldBack(caller: string | null): boolean {
    return caller !== null && (this.#byCaller.get(caller)?.heldBackUntilMs ?? 0) > performance.now();
  }

  /** `wasSent`: the caller has read the response or left; otherwise it was refused. */
  release(caller: string | null, count: number, wasSent: boolean): void {
    const isOverShare = !this.hasShare(caller);
    this.#total -= count;
    const own = caller === null ? undefined : this.#byCaller.get(caller);
    if (caller === null || own === undefined) return;
    own.count -= count;
    if (own.count <= 0) this.#byCaller.delete(caller);
    else if (wasSent) own.heldBackUntilMs = 0;
    else if (isOverShare) own.heldBackUntilMs = performance.now() + RETRY_AFTER_SECONDS * 1000;
  }

  #countOf(caller: string | null): number {
    return caller === null ? 0 : (this.#byCaller.get(caller)?.count ?? 0);
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

  /** For reads that may be expensive: an error when the response would hardly have space. */
  readonly admit = (): AppError | null => (this.#all.isHeldBack(this.#caller) ? tooManyBytesError() : null);

  /** The response was sent. */
  readonly release = (): void => this.#release(true);

  /** There is no response, or it is refused. */
  drop(): void {
    this.#release(false);
  }

  #release(wasSent: boolean): void {
    if (this.#reserved > 0) this.#all.release(this.#caller, this.#reserved, wasSent);
    this.#reserved = 0;
    this.#received = 0;
  }
}

function tooManyBytesError(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Too many large responses are being sent at the moment.", {
    hint: "Read the responses that you have requested before you request more, or request less at a time.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
