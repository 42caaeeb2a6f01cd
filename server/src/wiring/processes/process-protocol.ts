import type { Socket } from "node:net";
import type { DatabaseServer } from "../../db/index.ts";
import type { TlsMaterial } from "../../http/index.ts";
import type { Counts } from "../../limits/index.ts";
import type { MetricFamily } from "../../observe/index.ts";
import type { PreparedNode } from "../database/prepare-node.ts";
import type { SocketCounts } from "../../realtime/index.ts";
import type { ServedPages } from "../running-service.ts";

type Call<Name extends keyof Counts> = Parameters<Counts[Name]>[0];
type Result<Name extends keyof Counts> = ReturnType<Counts[Name]>;

/** What a worker process needs to start. */
export interface WorkerProcessStart extends Omit<PreparedNode, "server"> {
  readonly id: number;
  /** Identifies the process among all nodes. */
  readonly node: string;
  readonly server: Omit<DatabaseServer, "close">;
  readonly url: string;
  readonly port: number;
}

/** Attaching again begins another session, so that what was sent before is recognized. */
interface FeedSession {
  readonly session: number;
}

/** What the primary asks of a worker process. */
export type WorkerProcessMethods = {
  start(start: WorkerProcessStart): Promise<ServedPages>;
  /** `/ready` answers 503 from now on. */
  leave(nothing: null): void | Promise<void>;
  /** Another process serves instead: finish what is in progress, and end. */
  retire(nothing: null): void;
  stop(nothing: null): void;
  setTls(material: TlsMaterial): void;
  findIdleMs(address: string | null): number | null;
  closeIdle(address: string | null): boolean;
  deliverFeed(feed: FeedSession & { readonly content: Buffer }): void;
  loseFeed(feed: FeedSession & { readonly reason: string }): void;
  readMetrics(nothing: null): Promise<readonly MetricFamily[]>;
  takeOver(node: string): Promise<void>;
};

/** What a worker process asks of the primary. */
export type PrimaryMethods = {
  /** The worker process has crashed, and gets no further connections. */
  leave(nothing: null): void;
  /** The worker process has this connection. */
  confirm(connection: number): void;
  release(address: string | null): void;
  admitRequest(address: string): boolean;
  releaseRequest(address: string): void;
  count(call: Call<"count">): Result<"count">;
  find(call: Call<"find">): Result<"find">;
  holdSocket(address: string): Awaited<ReturnType<SocketCounts["hold"]>>;
  releaseSocket(address: string): void;
  attachFeed(feed: FeedSession): Promise<{ readonly unavailable: string | null }>;
  takeFeed(feed: FeedSession & { readonly bytes: number }): void;
  /** The worker process needs the changes of these tables, too. Returns recent transactions of which it has not got all. */
  followFeed(feed: FeedSession & { readonly tables: readonly string[] }): readonly number[];
  detachFeed(feed: FeedSession): void;
  /** The last metrics of a worker process that ends. */
  leaveMetrics(families: readonly MetricFamily[]): void;
};

/** A message on the channel of Node.js, with a connection. */
interface PassedConnection {
  readonly connection: number;
}

export function isPassedConnection(message: unknown): message is PassedConnection {
  return typeof message === "object" && message !== null && "connection" in message;
}

export type PassedSocket = Socket | undefined;
