import type { Client } from "pg";
import type { Dispatcher } from "undici";
import type { Environment, ExtensionSettingRow, ExtensionSettings, Settings } from "../config/index.ts";
import type { BackgroundResult } from "../processes/index.ts";
import type { Catalogue } from "../rest/index.ts";
import type { ServerCopies } from "./server-port.ts";

export interface ExtensionCommand<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** Lower-case letters, digits and hyphens; none of the core's, unless `modeOptions` are given. */
  readonly name: string;
  /**
   * Makes the command a mode of `backup` or `restore` of the core: it runs instead when the arguments have one of these options,
   * such as `--continuous`. They are not options of the core.
   */
  readonly modeOptions?: readonly string[];
  /** Without a capital and a full stop: a row of `swarmbase help`. */
  readonly summary: string;
  /** Printed by `swarmbase help <name>`; its first line is the usage. */
  readonly help: string;
  /** Resolves with the exit code. A `UsageError` prints the help and exits with 2, any other error prints its message and exits with 1. */
  run(context: ExtensionCommandContext<Rows>): Promise<number>;
}

export interface ExtensionCommandContext<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** The arguments after the name of the command. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Aborts when the program has to end. */
  readonly signal: AbortSignal;
  readonly version: string;
  now(): Date;
  /** The extension's own settings, by the name of the environment variable. */
  readonly settings: ExtensionSettings<Rows>;
  /** The settings of the service. */
  readonly serviceSettings: Settings;
  /** What a service of this data directory wrote for programs on this machine; null when none was ever started. */
  findCredentials(): Promise<ServiceCredentials | null>;
  /** Requests to the service that the user names, whatever its address; redirects are errors. */
  openFetch(options: {
    readonly url: string;
    /** Certificate authorities in PEM, trusted in addition to those of the system. */
    readonly ca: readonly string[];
  }): CommandFetch;
  /** The headers of a webhook delivery with this body at this time: its signatures and what else the service sends. */
  signDelivery(
    delivery: { readonly id: string; readonly eventId: string; readonly eventType: string; readonly secret: string },
    body: Buffer,
  ): Promise<Record<string, string>>;
  /** The database server as files: its backups, and copies of it. */
  readonly copies: ServerCopies;
  /**
   * Runs a command of the service in a process of its own, with the environment of this one and at a low priority. It ends
   * with this process and when the signal aborts.
   */
  runInBackground(args: readonly string[], signal: AbortSignal): Promise<BackgroundResult>;
  /** Connects to the database for the duration of the work. Starts the embedded one when the service is stopped. */
  withDatabase<T>(work: (database: CommandDatabase) => Promise<T>): Promise<T>;
}

export interface CommandFetch {
  readonly fetch: typeof globalThis.fetch;
  /** For requests whose response is passed on as it is, redirects included. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

/** The part of `credentials.json` that calls of the service need. */
export interface ServiceCredentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  /** Null when the operator provides the certificate. */
  readonly ca_cert_file: string | null;
}

export interface CommandDatabase {
  /** Logs in as the owner of the schema, as `url` does. */
  readonly client: Client;
  /** The connection string, password included. */
  readonly url: string;
  /**
   * Creates a database on the same server with the schema of the core and of the loaded extensions and without rows, and drops it
   * after the work. Throws when the database itself is not migrated to this release, because nothing could be compared then.
   */
  withScratchDatabase<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Tables, views and functions of the schemas, as REST serves them. */
  loadCatalogue(schemas: readonly string[]): Promise<Catalogue>;
}
