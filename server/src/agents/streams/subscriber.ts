import { AppError } from "../../errors/index.ts";
import type { RunEvent, StreamHub } from "./stream-hub.ts";
import type { EventPage, EventReader } from "./event-reader.ts";
import { mergeEvents } from "./expand-event.ts";
import { isEndStatus } from "../respond/run-body.ts";
import type { Viewer } from "./viewer.ts";

export type FollowStep =
  | { readonly kind: "events"; readonly events: readonly RunEvent[] }
  /** Nothing came in the time given. */
  | { readonly kind: "idle" }
  /** Nothing will come any more. `over`: the run has ended; the others say why this follower has to stop. */
  | { readonly kind: "over" | Reason };

/** `unreachable`: the database has been away too long to know whether the reader may go on. */
type Reason = "left" | "forbidden" | "stopping" | "unreachable";

export interface SubscriberOptions {
  readonly runId: string;
  readonly afterSeq: number;
  readonly viewer: Viewer;
  /** The run has just started here, so the hub has all further events. */
  readonly isFresh: boolean;
  readonly hub: StreamHub;
  readonly reader: EventReader;
  /** How long pieces of text are gathered after some were handed out; everything else is handed out at once. */
  restMs?(): number;
}

/** Events that wait for a reader who does not read; beyond that they are read again from where they are stored. */
const MOST_WAITING = 1_000;
const POLL_MS = 100;

/**
 * One reader of one run. Either it is live: the run is carried out here and the hub tells of everything. Or it reads what is
 * stored, every 100 ms, because the run waits or is carried out elsewhere. It becomes live once it has read all that was stored
 * after it began to listen, and stops being so when the run leaves this process or the reader falls too far behind.
 */
export class Subscriber {
  readonly runId: string;
  #viewer: Viewer;
  #cursor: number;
  #isLive: boolean;
  #heard: RunEvent[] = [];
  #isBehind = false;
  #unsubscribe: (() => void) | null = null;
  #status = "";
  #restUntilMs = 0;
  /** Nothing but pieces of text was heard since the last were handed out. */
  #isTextOnly = true;
  #stopped: Reason | null = null;
  #wake: (() => void) | null = null;
  readonly #hub: StreamHub;
  readonly #reader: EventReader;
  readonly #restMs: () => number;
  readonly #onClose: Set<() => void> = new Set();

  constructor({ runId, afterSeq, viewer, isFresh, hub, reader, restMs = () => 0 }: SubscriberOptions) {
    this.runId = runId;
    this.#cursor = afterSeq;
    this.#viewer = viewer;
    this.#isLive = isFresh;
    this.#hub = hub;
    this.#reader = reader;
    this.#restMs = restMs;
    this.#listen();
  }

  get viewer(): Viewer {
    return this.#viewer;
  }

  /** The number of the last event that was handed out. */
  get cursor(): number {
    return this.#cursor;
  }

  /** What was found out about the reader and the run since. */
  learn(viewer: Viewer, status: string): void {
    this.#viewer = viewer;
    this.#status = status;
    // An end that the hub did not tell of was stored by somebody else.
    if (isEndStatus(status) && !this.#hub.isHere(this.runId)) this.#isLive = false;
    this.#trigger();
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
    this.#trigger();
  }

  /** The next events, as soon as there are any. One call at a time. */
  async next(timeoutMs: number): Promise<FollowStep> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      if (this.#stopped !== null) return { kind: this.#stopped };
      const restMs = Math.min(this.#restUntilMs, deadlineMs) - performance.now();
      if (this.#isLive && this.#isTextOnly && this.#heard.length > 0 && restMs > 0) {
        await this.#wait(restMs);
        continue;
      }
      const step = this.#isLive ? this.#takeHeard() : await this.#takeStored();
      if (step !== null) return step;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return { kind: "idle" };
      await this.#wait(this.#isLive ? leftMs : Math.min(leftMs, POLL_MS - (performance.now() % POLL_MS)));
    }
  }

  /** The number of the run's last stored event; null: nothing of it is stored any more. */
  readLastSeq(): Promise<number | null> {
    return this.#reader.readLastSeq(this.runId);
  }

  #takeHeard(): FollowStep | null {
    const events = mergeEvents(this.#heard, [], this.#cursor);
    this.#heard = [];
    if (events.length > 0) return this.#hand(events);
    if (!this.#hub.isHere(this.runId)) this.#isLive = false;
    return null;
  }

  async #takeStored(): Promise<FollowStep | null> {
    this.#listen();
    const wasHere = this.#hub.isHere(this.runId);
    const wasOver = isEndStatus(this.#status);
    const page = await this.#readStored();
    if (page === null) return null;
    const { events: stored, isFull } = page;
    // Dropped while the answer was on its way: what was heard before has to be heard again.
    if (this.#unsubscribe === null) return null;
    const upTo = isFull ? (stored.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY;
    const events = mergeEvents(
      stored,
      this.#heard.filter(({ seq }) => seq <= upTo),
      this.#cursor,
    );
    this.#heard = this.#heard.filter(({ seq }) => seq > upTo);
    if (!isFull && wasHere) this.#isLive = true;
    if (events.length > 0) return this.#hand(events);
    return wasOver && !isFull ? { kind: "over" } : null;
  }

  /** Null while the database is away: how long that may last is decided where readers are judged. */
  async #readStored(): Promise<EventPage | null> {
    try {
      return await this.#reader.read(this.runId, this.#cursor);
    } catch (error) {
      if (error instanceof AppError && error.code === "SERVICE_UNAVAILABLE") return null;
      throw error;
    }
  }

  #hand(events: readonly RunEvent[]): FollowStep {
    this.#cursor = events.at(-1)?.seq ?? this.#cursor;
    this.#isTextOnly = true;
    this.#restUntilMs = performance.now() + this.#restMs();
    return { kind: "events", events };
  }

  #listen(): void {
    if (this.#unsubscribe !== null || this.#stopped !== null) return;
    this.#heard = [];
    this.#isBehind = false;
    const unsubscribe = this.#hub.subscribe(this.runId, (event) => this.#hear(event));
    // The hub speaks before it returns, and may have had too much to say.
    if (this.#isBehind) unsubscribe();
    else this.#unsubscribe = unsubscribe;
  }

  #hear(event: RunEvent): void {
    if (this.#heard.length < MOST_WAITING) {
      const isText = event.type === "message.delta" || event.type === "reasoning.delta";
      const isFirst = this.#heard.push(event) === 1;
      this.#isTextOnly &&= isText;
      // A subscriber that rests was woken by the first piece.
      if (!isText || isFirst) this.#trigger();
      return;
    }
    this.#isBehind = true;
    this.#isLive = false;
    this.#heard = [];
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #trigger(): void {
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
