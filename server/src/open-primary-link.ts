import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { ConnectionAcceptor, ConnectionTaker } from "./http/index.ts";
import type { Counts, Holds } from "./limits/index.ts";
import type { MetricFamily } from "./observe/index.ts";
import { type ForkOptions, forkWorker, type WorkerProcess } from "./processes/index.ts";
import type { PrimaryMethods, WorkerMethods } from "./process-protocol.ts";
import type { AttachedFeed, FeedRelay } from "./realtime/index.ts";

/** What all workers share, in the primary. */
export interface SharedParts {
  readonly acceptor: ConnectionAcceptor;
  readonly counts: Counts;
  readonly sockets: Holds<ConnectionTaker>;
  readonly socketLimits: { readonly perAddress: number; readonly perNode: number };
  /** Null when the node has no sockets. */
  readonly relay: FeedRelay | null;
}

/** A worker process as the primary sees it. */
export interface ServiceWorker extends WorkerProcess<WorkerMethods> {
  readonly node: string;
  readonly taker: ConnectionTaker;
  /** The last metrics that are known of it. */
  metrics: readonly MetricFamily[];
  /** The process has ended, or is about to. */
  forget(): void;
  /**
   * Tells it to end, after it has the connections that are on their way to it: these take another channel. One that retires lets its
   * clients go to the others first.
   */
  end(how: "retire" | "stop"): Promise<void>;
}

/** Starts a worker process and answers its calls. */
export function forkServiceWorker(
  fork: Pick<ForkOptions, "program" | "id" | "env">,
  { acceptor, counts, sockets, socketLimits, relay }: SharedParts,
): ServiceWorker {
  const passing = new Map<number, PromiseWithResolvers<void>>();
  let lastConnection = 0;
  let feed: { readonly session: number; readonly attached: AttachedFeed } | null = null;
  const closeFeed = (): void => {
    feed?.attached.close();
    feed = null;
  };

  const methods: PrimaryMethods = {
    leave: () => acceptor.leave(taker),
    confirm: (connection) => {
      passing.get(connection)?.resolve();
      passing.delete(connection);
    },
    release: (address) => acceptor.release(taker, address),
    admitRequest: (address) => acceptor.admitRequest(taker, address),
    releaseRequest: (address) => acceptor.releaseRequest(taker, address),
    count: (call) => counts.count(call),
    find: (call) => counts.find(call),
    holdSocket: (address) => {
      const { perAddress, perNode } = socketLimits;
      if (perAddress > 0 && sockets.countOf(address) >= perAddress) return "address";
      if (perNode > 0 && sockets.size >= perNode) return "node";
      sockets.add(taker, address);
      return null;
    },
    releaseSocket: (address) => sockets.remove(taker, address),
    attachFeed: async ({ session }) => {
      closeFeed();
      if (relay === null) return { unavailable: "This node has no sockets" };
      const attached = await relay.attach({
        send: (content) => worker.link.tell("deliverFeed", { session, content }),
        lose: (reason) => worker.link.tell("loseFeed", { session, reason }),
      });
      if ("unavailable" in attached) return attached;
      feed = { session, attached };
      return { unavailable: null };
    },
    takeFeed: ({ session, bytes }) => {
      if (feed?.session === session) feed.attached.take(bytes);
    },
    followFeed: ({ session, tables }) => (feed?.session === session ? feed.attached.follow(tables) : []),
    detachFeed: ({ session }) => {
      if (feed?.session === session) closeFeed();
    },
    leaveMetrics: (families) => {
      worker.metrics = families;
    },
  };

  const taker: ConnectionTaker = {
    pass: (socket: Socket) => {
      lastConnection += 1;
      const connection = lastConnection;
      const confirmed = Promise.withResolvers<void>();
      passing.set(connection, confirmed);
      const onSent = (error: Error | null): void => {
        if (error !== null && passing.delete(connection)) confirmed.reject(error);
      };
      if (!child.connected) onSent(new Error("the process has ended"));
      // Kept open, so that another process can get it if this one ends before it has confirmed.
      else child.send({ connection }, socket, { keepOpen: true }, onSent);
      return confirmed.promise;
    },
    findIdleMs: (address) => worker.link.call("findIdleMs", address),
    closeIdle: (address) => worker.link.call("closeIdle", address),
  };
  const forget = (): void => {
    closeFeed();
    acceptor.forget(taker);
    sockets.removeAll(taker);
    const lost = [...passing.values()];
    passing.clear();
    for (const { reject } of lost) reject(new Error("the process has ended"));
  };
  const forked = forkWorker<WorkerMethods>({ ...fork, methods });
  const { child, link } = forked;
  const end = async (how: "retire" | "stop"): Promise<void> => {
    await Promise.allSettled(Array.from(passing.values(), ({ promise }) => promise));
    link.tell(how, null);
  };
  const worker: ServiceWorker = { ...forked, node: randomUUID(), taker, metrics: [], forget, end };
  // The link closes after the last message of the process, so what it has confirmed is known.
  void forked.link.closed.then(forget);
  return worker;
}
