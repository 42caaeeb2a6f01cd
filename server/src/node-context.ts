import type { Providers } from "./agents/index.ts";
import type { Closers } from "./closers.ts";
import type { Environment, Settings } from "./config/index.ts";
import type { Database, DatabaseServer } from "./db/index.ts";
import type { LoadedExtension } from "./extensions/index.ts";
import type { Observer, TraceSource } from "./observe/index.ts";
import type { Clock } from "./time/index.ts";
import type { WorkerPart } from "./worker-part.ts";

export interface NodeContext {
  readonly settings: Settings;
  /** Holds the keys that a providers file names. */
  readonly environment: Environment;
  readonly extensions: readonly LoadedExtension[];
  readonly observer: Observer;
  /** Null without telemetry. */
  readonly traceSource: TraceSource | null;
  readonly clock: Clock;
  readonly version: string;
  /** Null or absent: this process is the whole node. */
  readonly part?: WorkerPart | null;
}

/** The context once the database is open. */
export interface OpenNodeContext extends NodeContext {
  readonly providers: Providers;
  readonly server: DatabaseServer;
  readonly database: Database;
  readonly closers: Closers;
}
