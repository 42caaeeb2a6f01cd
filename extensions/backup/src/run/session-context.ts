import type { BackgroundResult, ExtensionServer } from "swarmbase/extension";
import type { Archive } from "../archive/archive.ts";
import type { Report } from "./report.ts";
import type { ServerSession } from "./sql/server-session.ts";
import type { WalQueue } from "./wal-queue.ts";
import type { WalStream } from "./wal-stream.ts";

export interface ArchiverOptions {
  readonly archive: Archive;
  readonly server: ExtensionServer;
  /** With which the names of its slots begin. */
  readonly slotPrefix: string;
  readonly rules: ArchiverRules;
  readonly version: string;
  readonly report: Report;
  /** Runs `backup --verify` for the archive in a process of its own. */
  verify(signal: AbortSignal): Promise<BackgroundResult>;
  now(): Date;
}

export interface ArchiverRules {
  /** How long WAL may wait until it is stored. */
  readonly delayMs: number;
  /** The time between base backups. */
  readonly baseEveryMs: number;
  /** How many base backups stay. */
  readonly keep: number;
  /** How much WAL the server may keep for a target that does not accept it. */
  readonly maxKeptBytes: number;
  /** The time between verifications; 0: none. */
  readonly verifyEveryMs: number;
}

/** What the parts of a session share. */
export interface SessionContext extends ArchiverOptions {
  readonly session: ServerSession;
  readonly chain: string;
  readonly slotName: string;
  readonly systemId: string;
  readonly queue: WalQueue;
  readonly stream: WalStream;
  readonly progress: {
    /** Everything before this position is stored. */
    stored: bigint;
    /** The newest complete base backup of the chain, as far as it is known. */
    base: string | null;
  };
}

/** Received WAL beyond this stays in the server. */
export const QUEUE_LIMIT_BYTES = 32 * 1024 * 1024;
