import { Semaphore } from "@swarmbase/concurrency";
import { findOutboundFault } from "@swarmbase/guarded-fetch";
import type pg from "pg";
import { AppError } from "../../../errors/index.ts";
import type { Observer } from "../../../observe/index.ts";
import type { Clock } from "../../../time/index.ts";
import { boundFetch } from "../../providers/bound-fetch.ts";
import { type ClientRow, upsertDocument } from "../../sql/oauth-clients.ts";
import { type ClientDocument, documentError, findDocumentIdFault, readDocument } from "./read-document.ts";

interface ClientDocumentsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly observer: Observer;
  /** Reaches only what the address policy allows, and follows no redirects. */
  readonly fetch: typeof globalThis.fetch;
  baseUrl(): string;
}

interface Reading {
  readonly startedAt: number;
  readonly row: Promise<ClientRow | null>;
  /** Why it failed, for people. */
  fault: string | null;
}

const MAX_BYTES = 32_768;
const TIMEOUT_MS = 5_000;
const FAILURE_MS = 10_000;
const GRACE_MS = 86_400_000;
const MAX_READINGS = 1_000;
/** Anybody can make the service read a document. */
const PERMITS = { permits: 16, maxPerKey: 2, maxWaiting: 8, maxWaitMs: TIMEOUT_MS };
const UNREADABLE = "the document could not be read";

/**
 * Clients whose id is the https address of a document that describes them (Client ID Metadata Document). The row of such a
 * client is a copy of the document, which is read again when it has expired. When that fails, the copy is valid for another day.
 */
export class ClientDocuments {
  readonly #options: ClientDocumentsOptions;
  readonly #fetch: typeof globalThis.fetch;
  readonly #semaphore = new Semaphore(PERMITS);
  /** Those that run, which callers share, and those that have failed lately, so that nobody makes us send many requests to a host. */
  readonly #readings = new Map<string, Reading>();

  constructor(options: ClientDocumentsOptions) {
    this.#options = options;
    this.#fetch = boundFetch(options.fetch, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
  }

  /** Returns the stored row, or that of a new reading; null when no valid document is at the address. */
  async find(id: string, stored: ClientRow | null): Promise<ClientRow | null> {
    if (findDocumentIdFault(id, this.#options.baseUrl()) !== null) return null;
    const now = this.#options.clock.now().getTime();
    const expiresAt = stored?.document_expires_at?.getTime() ?? 0;
    if (expiresAt > now) return stored;
    const read = await this.#read(id, now).row;
    return read ?? (expiresAt + GRACE_MS > now ? stored : null);
  }

  /** Why `find` has returned null a moment ago. What the network answered is only in the log, because anybody can ask. */
  faultOf(id: string): string | null {
    return findDocumentIdFault(id, this.#options.baseUrl()) ?? this.#readings.get(id)?.fault ?? null;
  }

  #read(id: string, now: number): Reading {
    const known = this.#readings.get(id);
    if (known !== undefined && (known.fault === null || now - known.startedAt < FAILURE_MS)) return known;
    const reading: Reading = { startedAt: now, fault: null, row: this.#load(id) };
    const forget = (): void => {
      if (reading.fault === null && this.#readings.get(id) === reading) this.#readings.delete(id);
    };
    reading.row.then(forget, forget);
    // At the end again, because the oldest ones are forgotten first.
    this.#readings.delete(id);
    this.#readings.set(id, reading);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > MAX_READINGS && oldest !== undefined) this.#readings.delete(oldest);
    return reading;
  }

  async #load(id: string): Promise<ClientRow | null> {
    const { pool, clock, observer } = this.#options;
    const { host } = new URL(id);
    const document = await this.#semaphore
      .run(() => this.#request(id), { key: host })
      .catch((error: unknown) => {
        const isInvalid = error instanceof AppError;
        const reading = this.#readings.get(id);
        if (reading !== undefined) reading.fault = isInvalid ? error.message : UNREADABLE;
        const reason = isInvalid ? "invalid_document" : findOutboundFault(error).code;
        observer.note("oauth.document_failed", { clientId: id, reason, error });
        return null;
      });
    if (document === null) return null;
    const { columns, lifetimeMs } = document;
    const document_expires_at = new Date(clock.now().getTime() + lifetimeMs);
    const { is_new: isNew, ...row } = await upsertDocument(pool, { ...columns, document_expires_at });
    const { name: clientName, registration } = row;
    if (isNew) observer.note("oauth.client_registered", { clientId: id, clientName, host, registration });
    return row;
  }

  async #request(id: string): Promise<ClientDocument> {
    const response = await this.#fetch(id, { headers: { accept: "application/json" }, redirect: "error" });
    if (response.status !== 200) throw documentError(`the host answered with status ${response.status}`);
    return readDocument(id, { headers: response.headers, text: await response.text() });
  }
}
