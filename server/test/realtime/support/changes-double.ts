import type { AccessChanges, Changes, ChangesSubscriber, SessionsEnded } from "../../../src/realtime/changes.ts";

/** A feed of one node, which the test controls. */
export interface ChangesDouble extends Changes {
  readonly subscribers: ReadonlySet<ChangesSubscriber>;
  /** To all subscribers, regardless of their bindings. */
  deliver(data: string, ids?: readonly number[]): void;
  loseAll(reason: string): void;
  endSessions(ended: Partial<SessionsEnded>): void;
  changeAccess(changes: AccessChanges): void;
  setState(state: ReturnType<Changes["state"]>): void;
  /** Joins wait until it is called. */
  holdSubscriptions(): () => void;
  /** Messages of this and other nodes do not arrive while it is disconnected, as when the feed is lost. */
  setDisconnected(isDisconnected: boolean): void;
  failEmits(error: Error | null): void;
}

/** Stands for the WAL: all nodes receive all messages in the same order. */
export class ChangesBus {
  readonly #nodes = new Set<(prefix: string, content: Buffer) => void>();
  readonly emitted: { prefix: string; content: Buffer }[] = [];

  join(receive: (prefix: string, content: Buffer) => void): () => void {
    this.#nodes.add(receive);
    return () => this.#nodes.delete(receive);
  }

  async emit(prefix: string, content: Buffer): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.emitted.push({ prefix, content });
    for (const receive of this.#nodes) receive(prefix, content);
  }
}

export function createChangesDouble(bus: ChangesBus): ChangesDouble {
  const subscribers = new Set<ChangesSubscriber>();
  const listeners = new Map<string, Set<(content: Buffer, whenVisible: () => Promise<void>) => void>>();
  const endListeners = new Set<(ended: SessionsEnded) => void>();
  const accessListeners = new Set<(changes: AccessChanges) => void>();
  let state: ReturnType<Changes["state"]> = "live";
  let liveCount = 1;
  let held: Promise<void> = Promise.resolve();
  let isDisconnected = false;
  let emitFault: Error | null = null;
  bus.join((prefix, content) => {
    if (!isDisconnected) for (const listener of listeners.get(prefix) ?? []) listener(content, () => Promise.resolve());
  });

  return {
    subscribers,
    async subscribe(subscriber, signal) {
      await Promise.race([
        held,
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        }),
      ]);
      subscribers.add(subscriber);
      return { update: () => {}, close: () => subscribers.delete(subscriber) };
    },
    emit: (prefix, content) => (emitFault === null ? bus.emit(prefix, content) : Promise.reject(emitFault)),
    onMessage(prefix, listener) {
      const ofPrefix = listeners.get(prefix) ?? new Set();
      listeners.set(prefix, ofPrefix.add(listener));
      return () => ofPrefix.delete(listener);
    },
    onSessionsEnded(listener) {
      endListeners.add(listener);
      return () => endListeners.delete(listener);
    },
    onSessionsUpdated: () => () => {},
    onAccessChanged(listener) {
      accessListeners.add(listener);
      return () => accessListeners.delete(listener);
    },
    lagBytes: () => null,
    state: () => state,
    liveCount: () => liveCount,
    reason: () => (state === "live" ? null : `the double is ${state}`),
    worker: { name: "changes-double", run: async () => {} },
    deliver(data, ids) {
      for (const { bindings, deliver } of subscribers) deliver(ids ?? bindings.map(({ id }) => id), data);
    },
    loseAll(reason) {
      for (const subscriber of subscribers) {
        subscribers.delete(subscriber);
        subscriber.lose(reason);
      }
    },
    endSessions({ sessionIds = [], userIds = [] }) {
      for (const listener of endListeners) listener({ sessionIds, userIds });
    },
    changeAccess(changed) {
      for (const listener of accessListeners) listener(changed);
    },
    setState(next) {
      if (next === "live" && state !== "live") liveCount += 1;
      state = next;
    },
    holdSubscriptions() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    setDisconnected(value) {
      isDisconnected = value;
    },
    failEmits(error) {
      emitFault = error;
    },
  };
}
