import type { Socket } from "node:net";
import type { IdleConnections, TlsMaterial } from "../../http/index.ts";
import type { RpcPeer } from "../../processes/index.ts";
import {
  isPassedConnection,
  type PassedSocket,
  type PrimaryMethods,
  type WorkerProcessMethods,
  type WorkerProcessStart,
} from "./process-protocol.ts";
import { type FeedListener, type FeedSource, openRelayedStream } from "../../realtime/index.ts";
import type { PrimaryProcess } from "../primary-process.ts";

type ConnectionMethods = Pick<WorkerProcessMethods, "setTls" | "findIdleMs" | "closeIdle" | "deliverFeed" | "loseFeed">;

export interface PrimaryConnection {
  /** What the primary calls. */
  readonly methods: ConnectionMethods;
  open(start: Pick<WorkerProcessStart, "node" | "url" | "port">, peer: RpcPeer<PrimaryMethods>): PrimaryProcess;
}

/** Connects a worker process with its primary. */
export function connectPrimary(): PrimaryConnection {
  let renewed: TlsMaterial | null = null;
  let applyTls: (material: TlsMaterial) => void = () => {};
  let idle: IdleConnections | null = null;
  let [session, listener]: [number, FeedListener | null] = [0, null];
  const methods: ConnectionMethods = {
    setTls: (material) => {
      renewed = material;
      applyTls(material);
    },
    findIdleMs: (address) => idle?.findIdleMs(address) ?? null,
    closeIdle: (address) => idle?.closeIdle(address) ?? false,
    deliverFeed: (sent) => {
      if (sent.session === session) listener?.deliver(sent.content);
    },
    loseFeed: (sent) => {
      if (sent.session === session) listener?.lose(sent.reason);
    },
  };
  const openFeed = (peer: RpcPeer<PrimaryMethods>): FeedSource => ({
    attach: (next) => {
      session += 1;
      listener = next;
      return peer.call("attachFeed", { session });
    },
    take: (bytes) => peer.tell("takeFeed", { session, bytes }),
    follow: (tables) => peer.call("followFeed", { session, tables }),
    detach: () => peer.tell("detachFeed", { session }),
  });
  return {
    methods,
    open: ({ node, url, port }, peer) => ({
      node,
      url,
      source: {
        port,
        open: (onConnection, connections) => {
          idle = connections;
          receiveConnections(onConnection, (connection) => peer.tell("confirm", connection));
        },
        release: (address) => peer.tell("release", address),
        admitRequest: (address) => peer.call("admitRequest", address),
        releaseRequest: (address) => peer.tell("releaseRequest", address),
      },
      counts: { count: (call) => peer.call("count", call), find: (call) => peer.call("find", call) },
      socketCounts: {
        hold: (address) => peer.call("holdSocket", address),
        release: (address) => peer.tell("releaseSocket", address),
      },
      openStream: openRelayedStream(openFeed(peer)),
      onCertificate: (apply) => {
        applyTls = apply;
        if (renewed !== null) apply(renewed);
      },
    }),
  };
}

/** Confirms a connection before the first byte is read: one that was not confirmed goes to another process. */
function receiveConnections(onConnection: (socket: Socket) => void, confirm: (connection: number) => void): void {
  process.on("message", (message: unknown, socket: PassedSocket) => {
    if (!isPassedConnection(message)) return;
    confirm(message.connection);
    // Absent when the client has closed it on the way.
    if (socket !== undefined) onConnection(socket);
  });
}
