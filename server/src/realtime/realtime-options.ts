import type { IncomingMessage } from "node:http";
import type { Settings } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { Principal } from "../db/index.ts";
import type { Changes } from "./changes.ts";

/** Who a socket or channel speaks for, and until when. */
export interface Admission {
  readonly caller: Principal;
  readonly expiresAt: Date | null;
}

/** Throws an AppError for a key or token that is not good, or whose session is dead. Without a token the key says who it is. */
export type Authenticate = (token: string | null, apikey: string) => Promise<Admission>;

/** The two things that the rules of a private channel tell apart. */
export type Extension = "broadcast" | "presence";

export interface StoredMessage {
  readonly id: string;
  readonly event: string;
  readonly isBinary: boolean;
  readonly payload: Buffer;
}

export interface MessageToStore extends Omit<StoredMessage, "id"> {
  /** The channel it came from, when that one is not to get it. */
  readonly sender: string | null;
}

/** What the row rules of the database say about a private channel. */
export interface PrivateTopics {
  findReadable(caller: Principal, topic: string, signal?: AbortSignal): Promise<ReadonlySet<Extension>>;
  canWrite(caller: Principal, topic: string, extension: Extension, signal?: AbortSignal): Promise<boolean>;
  /** The feed carries it to all nodes. Throws an AppError where the caller may not write. */
  store(caller: Principal, topic: string, message: MessageToStore): Promise<void>;
  /** Oldest first. */
  replay(caller: Principal, topic: string, since: Date, limit: number): Promise<readonly StoredMessage[]>;
}

export type RealtimeSettings = Pick<
  Settings,
  | "realtimeSocketsPerNode"
  | "realtimeSocketsPerAddress"
  | "realtimeChannelsPerSocket"
  | "realtimeChannelsPerUser"
  | "realtimeJoinsPerSecond"
  | "realtimeEventsPerSecond"
  | "realtimePayloadLimitBytes"
  | "realtimeFrameLimitBytes"
  | "realtimeSendBufferBytes"
  | "realtimeIdleTimeoutMs"
  | "realtimeExpiryWarningSeconds"
>;

/** How often things are looked at; all have a default that is right outside of tests. */
export interface RealtimeTiming {
  readonly sweepMs: number;
  readonly presenceTickMs: number;
  readonly presenceBeatMs: number;
  /** A node that has not been heard of for so long takes those present on it along. */
  readonly presenceLeaseMs: number;
  readonly recheckMs: number;
}

export interface RealtimeOptions {
  readonly changes: Changes;
  readonly authenticate: Authenticate;
  readonly privateTopics: PrivateTopics;
  readonly settings: RealtimeSettings;
  readonly observer: Observer;
  readonly clock: Clock;
  /** What counts as one client of a handshake. Without it sockets are only counted together. */
  readonly addressOf?: (request: IncomingMessage) => string;
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
