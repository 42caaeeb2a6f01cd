import type { FoundProviders, Providers } from "../agents/index.ts";
import type { Environment, Settings } from "../config/index.ts";
import type { Database, DatabaseServer } from "../db/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import type { Meter, Observer, TraceSource } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { Closers } from "./closers.ts";
import type { CopyHold } from "./copy-hold.ts";
import type { PrimaryProcess } from "./primary-process.ts";
import type { StartTimes } from "./start-times.ts";

/** What every stage of the start has: the result of the settings. */
export interface NodeContext {
  readonly settings: Settings;
  /** Holds the keys that a providers file names. */
  readonly environment: Environment;
  readonly extensions: readonly LoadedExtension[];
  readonly observer: Observer;
  /** Null without a metrics port and without telemetry that reads metrics. */
  readonly meter: Meter | null;
  /** Null without telemetry. */
  readonly traceSource: TraceSource | null;
  readonly clock: Clock;
  readonly version: string;
  readonly startTimes: StartTimes;
  /** Null or absent unless this is a worker process: then the node has one process, or this is its primary process. */
  readonly primary?: PrimaryProcess | null;
  /** Aborts a start that is under way. A running service is ended with `stop`. */
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/** The context once the database is open. */
export interface OpenNodeContext extends NodeContext {
  readonly providers: Providers;
  /** At the start; the stored keys can change. */
  readonly found: FoundProviders;
  readonly masterKey: string;
  readonly server: DatabaseServer;
  readonly database: Database;
  readonly copyHold: CopyHold;
  /** Throws before the service listens. */
  baseUrl(): string;
  readonly closers: Closers;
}
