import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { CommitWatch } from "../../db/index.ts";
import type { ConnectionAcceptor, ConnectionTaker } from "../../http/index.ts";
import type { Counts, HolderCounts } from "../../limits/index.ts";
import type { MetricFamily } from "../../observe/index.ts";
import { type ForkOptions, forkWorkerProcess, type WorkerProcess } from "../../processes/index.ts";
import type { AttachedFeed, FeedRelay } from "../../realtime/index.ts";
import { Later } from "../later.ts";
import type { PrimaryMethods, WorkerProcessMethods } from "./process-protocol.ts";

/** The connections that are on their way to a worker process, which confirms each. */
class PassedConnections {
  readonly #passing = new Map<number, PromiseWithResolvers<void>>();
  #last = 0;

  /** Resolves when the process has the connection, and rejects when it does not get it. */
  pass(child: ChildProcess, socket: Socket): Promise<void> {
    this.#last += 1;
    const connection = this.#last;
    const confirmed = Promise.withResolvers<void>();
    this.#passing.set(connection, confirmed);
    const onSent = (error: Error | null): void => {
      if (error !== null && this.#passing.delete(connection)) confirmed.reject(error);
    };
    if (!child.connected) onSent(new Error("the process has ended"));
    // Kept open, so that another process can get it if this one ends before it has confirmed.
    else child.send({ connection }, socket, { keepOpen: true }, onSent);
    return confirmed.promise;
  }

  confirm(connection: number): void {
    this.#passing.get(connection)?.resolve();
    this.#passing.delete(connection);
  }

  /** Resolves when none is on its way. */
  async drain(): Promise<void> {
    await Promise.allSettled(Array.from(this.#passing.values(), ({ promise }) => promise));
  }

  /** The process has ended. */
  lose(): void {
    const lost = [...this.#passing.values()];
    this.#passing.clear();
    for (const { reject } of lost) reject(new Error("the process has ended"));
  }
}

/** What all worker processes share, in the primary. */
export interface SharedPorts {
  readonly acceptor: ConnectionAcceptor;
  readonly counts: Counts;
  readonly sockets: HolderCounts<ConnectionTaker>;
  readonly socketLimits: { readonly perAddress: number; readonly perNode: number };
  /** Null when the node has no sockets. */
  readonly relay: FeedRelay | null;
  readonly commits: CommitWatch;
}

/** A worker process as the primary sees it. */
export interface ServiceProcess extends WorkerProcess<WorkerProcessMethods> {
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
export function forkServiceProcess(
  fork: Pick<ForkOptions, "program" | "id" | "env">,
  { acceptor, counts, sockets, socketLimits, relay }: SharedPorts,
): ServiceProcess {
  const self = new Later<ServiceProcess>("the worker process is not forked yet");
  const passed = new PassedConnections();
  const feed = createFeedMethods(relay, self.get);
  const taker: ConnectionTaker = {
    pass: (socket) => passed.pass(self.get().child, socket),
    findIdleMs: (address) => self.get().peer.call("findIdleMs", address),
    closeIdle: (address) => self.get().peer.call("closeIdle", address),
  };
  const methods: PrimaryMethods = {
    ...feed.methods,
    leave: () => acceptor.leave(taker),
    confirm: (connection) => passed.confirm(connection),
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
    leaveMetrics: (families) => {
      self.get().metrics = families;
    },
  };
  const forked = forkWorkerProcess<WorkerProcessMethods>({ ...fork, methods });
  const forget = (): void => {
    feed.close();
    acceptor.forget(taker);
    sockets.removeAll(taker);
    passed.lose();
  };
  const end = async (how: "retire" | "stop"): Promise<void> => {
    await passed.drain();
    forked.peer.tell(how, null);
  };
  const workerProcess: ServiceProcess = { ...forked, node: randomUUID(), taker, metrics: [], forget, end };
  self.set(workerProcess);
  // The pipe closes after the last message of the process, so what it has confirmed is known.
  void forked.peer.closed.then(forget);
  return workerProcess;
}

type FeedMethods = Pick<PrimaryMethods, "attachFeed" | "takeFeed" | "followFeed" | "detachFeed">;

/** The change feed of one worker process. */
function createFeedMethods(
  relay: FeedRelay | null,
  workerProcess: () => ServiceProcess,
): { readonly methods: FeedMethods; close(): void } {
  let feed: { readonly session: number; readonly attached: AttachedFeed } | null = null;
  const close = (): void => {
    feed?.attached.close();
    feed = null;
  };
  const methods: FeedMethods = {
    attachFeed: async ({ session }) => {
      close();
      if (relay === null) return { unavailable: "This node has no sockets" };
      const attached = await relay.attach({
        send: (content) => workerProcess().peer.tell("deliverFeed", { session, content }),
        lose: (reason) => workerProcess().peer.tell("loseFeed", { session, reason }),
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
      if (feed?.session === session) close();
    },
  };
  return { methods, close };
}
