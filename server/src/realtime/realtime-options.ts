import type { IncomingMessage } from "node:http";
import type { Settings } from "../config/index.ts";
import type { HelpLinks } from "../errors/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { Principal } from "../db/index.ts";
import type { Changes } from "./changes.ts";

/** The principal of a socket or channel, and when its token expires. */
export interface AuthenticatedPrincipal {
  readonly principal: Principal;
  readonly expiresAt: Date | null;
}

/** Throws an AppError for an invalid key or token or an ended session. Without a token the key determines the principal. */
export type Authenticate = (token: string | null, apikey: string) => Promise<AuthenticatedPrincipal>;

/** What the policies of a private channel distinguish. */
export type ChannelExtension = "broadcast" | "presence";

export const CHANNEL_EXTENSIONS: ReadonlySet<ChannelExtension> = new Set(["broadcast", "presence"]);

export interface StoredMessage {
  readonly id: string;
  readonly event: string;
  readonly isBinary: boolean;
  readonly payload: Buffer;
}

export interface MessageToStore extends Omit<StoredMessage, "id"> {
  /** The id of the sending channel when it must not receive the message. */
  readonly sender: string | null;
}

export interface TopicCheck {
  readonly principal: Principal;
  readonly topic: string;
  /** The extensions to test for sending; both are tested for receiving. */
  readonly writes: readonly ChannelExtension[];
}

export interface TopicAccess {
  readonly readable: ReadonlySet<ChannelExtension>;
  readonly writable: ReadonlySet<ChannelExtension>;
}

/** Private channels, whose access the row-level policies of realtime.messages decide. */
export interface PrivateTopics {
  findReadable(principal: Principal, topic: string, signal?: AbortSignal): Promise<ReadonlySet<ChannelExtension>>;
  canWrite(principal: Principal, topic: string, extension: ChannelExtension, signal?: AbortSignal): Promise<boolean>;
  /**
   * Checks the policies for many principals together, without their sessions. Returns one result per check, an Error where a
   * policy failed. Throws when the database is unavailable.
   */
  checkAll(checks: readonly TopicCheck[]): Promise<readonly (TopicAccess | Error)[]>;
  /** The feed delivers it to all nodes. Throws an AppError when the principal may not write. */
  store(principal: Principal, topic: string, message: MessageToStore): Promise<void>;
  /** Oldest first. */
  replay(principal: Principal, topic: string, since: Date, limit: number): Promise<readonly StoredMessage[]>;
}

/** Where nodes register the topics whose signals the writers have to send. */
export interface FollowedTopics {
  /** Makes these the topics of the node, for the next minute. */
  write(node: string, topics: readonly string[]): Promise<void>;
  /** The oldest transaction that has not ended, and the first that has not begun. */
  findTransactionBounds(): Promise<{ readonly oldest: bigint; readonly next: bigint }>;
}

/** Intervals. Only tests change the defaults. */
export interface RealtimeTiming {
  readonly sweepMs: number;
  readonly presenceTickMs: number;
  readonly presenceBeatMs: number;
  /** The presences of a node are removed when it has sent nothing for this long. */
  readonly presenceLeaseMs: number;
  readonly recheckMs: number;
}

/** Counts the sockets of all processes of this node. */
export interface SocketCounts {
  /** Resolves with the limit that a further socket would exceed; null when it is counted. */
  hold(address: string): Promise<"address" | "node" | null>;
  release(address: string): void;
}

export interface RealtimeOptions {
  readonly changes: Changes;
  readonly authenticate: Authenticate;
  readonly privateTopics: PrivateTopics;
  readonly followedTopics: FollowedTopics;
  readonly settings: Pick<Settings, Extract<keyof Settings, `realtime${string}`>>;
  readonly observer: Observer;
  readonly clock: Clock;
  /** What counts as one client of a handshake. Without it sockets are only counted together. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** Absent means that this process is the node. Needs `addressOf`. */
  readonly socketCounts?: SocketCounts | undefined;
  /** Identifies this process among all nodes; by default a random id. */
  readonly node?: string | undefined;
  /** Pages that explain the errors of a handshake. */
  readonly helpLinks?: HelpLinks;
  /** A random id. */
  readonly newId: () => string;
  readonly timing?: Partial<RealtimeTiming>;
}

export const DEFAULT_TIMING: RealtimeTiming = {
  sweepMs: 1_000,
  presenceTickMs: 500,
  presenceBeatMs: 5_000,
  presenceLeaseMs: 20_000,
  recheckMs: 300_000,
};

/** Without the feed, only rechecks find a sign-out or the end of a membership. */
export const MAX_INTERVAL_WITHOUT_FEED_MS = 15_000;
