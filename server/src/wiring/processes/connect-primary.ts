import type { Socket } from "node:net";
import type { IdleConnections, TlsMaterial } from "../../http/index.ts";
import type { Link } from "../../processes/index.ts";
import {
  isPassedConnection,
  type PassedSocket,
  type PrimaryMethods,
  type WorkerMethods,
  type WorkerStart,
} from "./process-protocol.ts";
import { type FeedListener, type FeedSource, openRelayed } from "../../realtime/index.ts";
import type { PrimaryProcess } from "../primary-process.ts";

type ConnectionMethods = Pick<WorkerMethods, "setTls" | "findIdleMs" | "closeIdle" | "deliverFeed" | "loseFeed">;

export interface PrimaryConnection {
  /** What the primary calls. */
  readonly methods: ConnectionMethods;
  open(start: Pick<WorkerStart, "node" | "url" | "port">, link: Link<PrimaryMethods>): PrimaryProcess;
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
  const openFeed = (link: Link<PrimaryMethods>): FeedSource => ({
    attach: (next) => {
      session += 1;
      listener = next;
      return link.call("attachFeed", { session });
    },
    take: (bytes) => link.tell("takeFeed", { session, bytes }),
    follow: (tables) => link.call("followFeed", { session, tables }),
    detach: () => link.tell("detachFeed", { session }),
  });
  return {
    methods,
    open: ({ node, url, port }, link) => ({
      node,
      url,
      source: {
        port,
        open: (onConnection, connections) => {
          idle = connections;
          receiveConnections(onConnection, (connection) => link.tell("confirm", connection));
        },
        release: (address) => link.tell("release", address),
        admitRequest: (address) => link.call("admitRequest", address),
        releaseRequest: (address) => link.tell("releaseRequest", address),
      },
      counts: { count: (call) => link.call("count", call), find: (call) => link.call("find", call) },
      socketCounts: {
        hold: (address) => link.call("holdSocket", address),
        release: (address) => link.tell("releaseSocket", address),
      },
      openStream: openRelayed(openFeed(link)),
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
