import { AppError } from "../../errors/index.ts";
import type { RunEvent, StreamHub } from "./stream-hub.ts";
import { type EventPage, type EventReader, mergeEvents } from "./event-reader.ts";
import { isEndStatus } from "./run-body.ts";

type SubscriberStep =
  | { readonly kind: "events"; readonly events: readonly RunEvent[] }
  /** Nothing arrived within the timeout. */
  | { readonly kind: "idle" }
  /** Nothing more will arrive. `over`: the run has ended. The others are reasons why this subscriber stops. */
  | { readonly kind: "over" | Reason };

/** `unreachable`: the database was unavailable for too long to know whether the reader still has access. */
type Reason = "left" | "forbidden" | "stopping" | "unreachable";

/** What a user may see of a run. */
export interface Viewer {
  /** Null for the service role. */
  readonly userId: string | null;
  readonly isManager: boolean;
  readonly ownAgentIds: readonly string[];
}

export interface SubscriberOptions {
  readonly runId: string;
  readonly afterSeq: number;
  readonly viewer: Viewer;
  /** The run has just started here, so the stream hub has all further events. */
  readonly isFresh: boolean;
  readonly streamHub: StreamHub;
  readonly reader: EventReader;
  /** How long text deltas are collected after the last emission. All other events are emitted at once. */
  textPauseMs?(): number;
}

/** The maximum number of buffered events of a slow reader. Beyond it, events are read from the database. */
const MAX_BUFFERED = 1_000;
const POLL_MS = 100;

/**
 * One reader of one run. It is live while this process executes the run: the stream hub publishes all events. Otherwise it
 * polls the stored events every 100 ms, because the run is queued or another node executes it. It becomes live once it has read
 * everything that was stored since it subscribed to the stream hub, and stops being live when the run leaves this process or
 * the reader falls too far behind.
 */
export class Subscriber {
  readonly runId: string;
  #viewer: Viewer;
  #cursor: number;
  #isLive: boolean;
  /** The execution of the run by this process that it is live in. */
  #opening: number;
  #received: RunEvent[] = [];
  #isBehind = false;
  #unsubscribe: (() => void) | null = null;
  #status = "";
  #pauseUntilMs = 0;
  /** Only text deltas were received since the last emission. */
  #isTextOnly = true;
  #stopped: Reason | null = null;
  #wake: (() => void) | null = null;
  readonly #streamHub: StreamHub;
  readonly #reader: EventReader;
  readonly #textPauseMs: () => number;
  readonly #onClose: Set<() => void> = new Set();

  constructor(options: SubscriberOptions) {
    const { runId, afterSeq, viewer, isFresh, streamHub, reader, textPauseMs = () => 0 } = options;
    this.runId = runId;
    this.#cursor = afterSeq;
    this.#viewer = viewer;
    this.#isLive = isFresh;
    this.#streamHub = streamHub;
    this.#opening = streamHub.countOpenings(runId) + 1;
    this.#reader = reader;
    this.#textPauseMs = textPauseMs;
    this.#listen();
  }

  get viewer(): Viewer {
    return this.#viewer;
  }

  /** The seq of the last emitted event. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Applies the result of a permission check. */
  update(viewer: Viewer, status: string): void {
    this.#viewer = viewer;
    this.#status = status;
    // Another node stored an end that the stream hub did not publish.
    if (isEndStatus(status) && !this.#streamHub.isHere(this.runId)) this.#isLive = false;
    this.#wakeUp();
  }

  onClose(listener: () => void): void {
    this.#onClose.add(listener);
  }

  close(reason: Reason = "left"): void {
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    for (const listener of this.#onClose) listener();
    this.#wakeUp();
  }

  /** Resolves to the next events as soon as there are any. Concurrent calls are not allowed. */
  async next(timeoutMs: number): Promise<SubscriberStep> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      if (this.#stopped !== null) return { kind: this.#stopped };
      const pauseMs = Math.min(this.#pauseUntilMs, deadlineMs) - performance.now();
      if (this.#isLive && this.#isTextOnly && this.#received.length > 0 && pauseMs > 0) {
        await this.#wait(pauseMs);
        continue;
      }
      const step = this.#isLive ? this.#takeReceived() : await this.#takeStored();
      if (step !== null) return step;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return { kind: "idle" };
      await this.#wait(this.#isLive ? leftMs : Math.min(leftMs, POLL_MS - (performance.now() % POLL_MS)));
    }
  }

  /** The seq of the run's last stored event; null when none is stored any more. */
  readLastSeq(): Promise<number | null> {
    return this.#reader.readLastSeq(this.runId);
  }

  #takeReceived(): SubscriberStep | null {
    // This process lost the run and took it over: the database has events that were not published.
    if (this.#streamHub.countOpenings(this.runId) > this.#opening) {
      this.#isLive = false;
      return null;
    }
    const events = mergeEvents(this.#received, this.#cursor);
    this.#received = [];
    if (events.length > 0) return this.#emit(events);
    if (!this.#streamHub.isHere(this.runId)) this.#isLive = false;
    return null;
  }

  async #takeStored(): Promise<SubscriberStep | null> {
    this.#listen();
    const { runId } = this;
    const wasHere = this.#streamHub.isHere(runId);
    const opening = this.#streamHub.countOpenings(runId);
    const storedSeq = this.#streamHub.lastStoredSeq(runId);
    const wasOver = isEndStatus(this.#status);
    const page = await this.#readStored();
    if (page === null) return null;
    const { events: stored, isFull } = page;
    // The buffer overflowed during the read, so its events have to be read again.
    if (this.#unsubscribe === null) return null;
    const lastSeq = stored.at(-1)?.seq ?? this.#cursor;
    // Otherwise the database does not have all events before the received ones: this process has taken over the run, or the database
    // has crashed, and the events that it lost are being stored again.
    const isWhole = wasHere && opening === this.#streamHub.countOpenings(runId) && (isFull || lastSeq >= storedSeq);
    const upTo = isFull || !isWhole ? lastSeq : Number.POSITIVE_INFINITY;
    const received = this.#received.filter(({ seq }) => seq <= upTo);
    const events = mergeEvents([...stored, ...received], this.#cursor);
    this.#received = this.#received.filter(({ seq }) => seq > upTo);
    if (!isFull && isWhole) [this.#isLive, this.#opening] = [true, opening];
    if (events.length > 0) return this.#emit(events);
    return wasOver && !isFull ? { kind: "over" } : null;
  }

  /** Null while the database is unavailable. The permission check decides how long that may last. */
  #readStored(): Promise<EventPage | null> {
    return whileAvailable(() => this.#reader.read(this.runId, this.#cursor));
  }

  #emit(events: readonly RunEvent[]): SubscriberStep {
    this.#cursor = events.at(-1)?.seq ?? this.#cursor;
    this.#isTextOnly = true;
    this.#pauseUntilMs = performance.now() + this.#textPauseMs();
    return { kind: "events", events };
  }

  #listen(): void {
    if (this.#unsubscribe !== null || this.#stopped !== null) return;
    this.#received = [];
    this.#isBehind = false;
    const unsubscribe = this.#streamHub.subscribe(this.runId, (event) => this.#receive(event));
    // The stream hub calls the listener before it returns, which can overflow the buffer.
    if (this.#isBehind) unsubscribe();
    else this.#unsubscribe = unsubscribe;
  }

  #receive(event: RunEvent): void {
    if (this.#received.length < MAX_BUFFERED) {
      const isText = event.type === "message.delta" || event.type === "reasoning.delta";
      const isFirst = this.#received.push(event) === 1;
      this.#isTextOnly &&= isText;
      // The first delta has already woken a subscriber that collects text.
      if (!isText || isFirst) this.#wakeUp();
      return;
    }
    this.#isBehind = true;
    this.#isLive = false;
    this.#received = [];
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #wakeUp(): void {
    this.#wake?.();
  }

  #wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#wake = finish;
    });
  }
}

async function whileAvailable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === "SERVICE_UNAVAILABLE") return null;
    throw error;
  }
}
