import type { ErrorCode, LimitName } from "@swarmbase/sdk";
import type { AuthErrorCode } from "../auth/index.ts";
import type { Environment, ExtensionSettingRow, ExtensionSettings, StandardVariable } from "../config/index.ts";
import type { LogLine, MetricFamily } from "../observe/index.ts";
import type { Catalogue, SchemaDescription } from "../rest/index.ts";
import type { ExtensionCommand, ExtensionCommandContext } from "./command-port.ts";
import type { ExtensionContext, ExtensionRoute } from "./route-port.ts";
import type { ExtensionToolKind } from "./tool-kind-port.ts";
import type { VendorProtocol } from "./provider-port.ts";
import type { ExtensionTable } from "./table-port.ts";
import type { ExtensionTelemetry } from "./telemetry-port.ts";

export { unlessAborted } from "@swarmbase/concurrency";
export { findCustomHeaderFault, isLoopbackUrl, wasNeverSent } from "@swarmbase/guarded-fetch";
export { maskUrls, parseOptions, SettingsError, UsageError } from "../config/index.ts";
export { AppError, explainFetchError, ModelError, type ModelErrorCode, ToolFailure } from "../errors/index.ts";
export { escapeHtml, type Html, html, raw } from "../html/index.ts";
export { poll, type PollOptions, WakeUp } from "../jobs/index.ts";
export { isRecord, type JsonRecord, readJson } from "../json/index.ts";
export { type EventStreamOptions, openEventStream } from "./event-stream.ts";
export { toExtensionError } from "./extension-error.ts";
export { lazy } from "./lazy.ts";
export { type AskableAgent, readAgents } from "./read-agents.ts";
export { settleEndedRuns } from "./sql/settle-ended-runs.ts";
export { readLastEventId, readRows, type TableRow } from "./read-rows.ts";
export type {
  Catalogue,
  Column,
  DataType,
  FunctionEntry,
  ForeignKeyRelationship,
  Parameter,
  Relation,
  SchemaDescription,
} from "../rest/index.ts";
export type { AccountServer, AccountTokens, ToolAccount, ToolAccounts } from "../agents/index.ts";
export type {
  AuthorizationKey,
  Authorizations,
  ListedAuthorization,
  NamedServer,
  RemoteTool,
  ToolAnswer,
  ToolAsking,
  ToolCall,
  ToolConfigFault,
  ToolDescription,
  ToolQuestion,
  ToolResponse,
  ToolServers,
} from "../agents/index.ts";
export type { DescribedRoute, InterfaceDescription, JsonSchema } from "./describe-interface.ts";
export type {
  ExtensionAuthAnswer,
  ExtensionAuthCall,
  ExtensionCaller,
  ExtensionContext,
  ExtensionCore,
  ExtensionDatabase,
  ExtensionError,
  ExtensionErrorResponse,
  ExtensionRequest,
  ExtensionResponse,
  ExtensionRestAnswer,
  ExtensionRestCall,
  ExtensionRoute,
  Query,
} from "./route-port.ts";
export type { AddedColumn } from "../tables/index.ts";
export type { ExtensionTable } from "./table-port.ts";
export type { RunStart, RunStartAnswer } from "./run-port.ts";
export type { ExtensionToolKind, OpenedToolKind, PlainToolKind, StatefulToolKind } from "./tool-kind-port.ts";
export type * from "./provider-port.ts";
export type {
  CommandDatabase,
  CommandFetch,
  ExtensionCommand,
  ExtensionCommandContext,
  ServiceCredentials,
} from "./command-port.ts";
export type { ExtensionOperations } from "./operations-port.ts";
export type { BackgroundResult } from "../processes/index.ts";
export type { ExtensionServer, ServerCopies, ServerCopy } from "./server-port.ts";
export type { ExtensionTelemetry, Telemetry, TelemetryContext } from "./telemetry-port.ts";
export type {
  AuthErrorCode,
  Environment,
  ErrorCode,
  ExtensionSettingRow,
  LimitName,
  LogLine,
  MetricFamily,
  StandardVariable,
};

/**
 * What a package adds to the service. A package exports one value of this type as `extension`; everything in it is data
 * or a function that receives the context, so that it can be checked before anything starts.
 */
export interface Extension<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** Lower-case letters, digits and hyphens; begins with a letter. */
  readonly name: string;
  /** One sentence, printed by `swarmbase doctor`. */
  readonly summary: string;
  /** The page that documents the extension. */
  readonly docs: URL;
  /** Environment variables; each name begins with the extension's name: `NOTES_` for `notes`, and for `notes-client`. */
  readonly settings?: Rows;
  /** Environment variables that a standard names and defines (`OTEL_…`). The extension receives their texts and checks them itself. */
  readonly standardVariables?: readonly StandardVariable[];
  /** A folder with `migrations/*.sql` and optionally `functions/*.sql` and `comments/*.sql`, applied in the schema `ext_<name>`. */
  readonly sql?: URL;
  /** What the migrations create in `public`. */
  readonly tables?: readonly ExtensionTable[];
  /** Who may do what with each table: lines of the access matrix, and the statement behind each line. */
  readonly access?: ExtensionAccess;
  /** Served by nodes with the role `api`. */
  readonly routes?: readonly ExtensionRoute<Rows>[];
  /** Run by nodes with the role `worker`; not while the database is a held copy. */
  readonly workers?: readonly ExtensionWorker<Rows>[];
  /**
   * Parts that depend on the values of the settings. Called once, before the service starts. What it throws stops the start; a
   * `SettingsError` reports several faults at once.
   */
  configure?(settings: ExtensionSettings<Rows>): ConfiguredExtension<Rows> | Promise<ConfiguredExtension<Rows>>;
  /** Values that the workers set, for the metrics endpoint. */
  readonly gauges?: readonly ExtensionGauge[];
  /** What `swarmbase doctor` reports about the extension. Changes nothing. */
  findProblems?(context: ExtensionCommandContext<Rows>): Promise<readonly ExtensionFinding[]>;
  /** Kinds that `tools.kind` takes as `<extension>.<kind>`; only `<kind>` of `<kind>`, `<kind>s`, `<kind>-client` or `<kind>-tools`. */
  readonly toolKinds?: readonly ExtensionToolKind<Rows>[];
  /** The kinds of providers that `PROVIDER_A_KIND` and the providers file name. */
  readonly providerKinds?: readonly VendorProtocol[];
  /** Run by `swarmbase <name>`, also while the service is stopped. */
  readonly commands?: readonly ExtensionCommand<Rows>[];
  /** Receives the traces, metrics and log lines of this node. At most one loaded extension has it. */
  readonly telemetry?: ExtensionTelemetry;
  /**
   * The path of the page that explains an error code, or null. Errors carry it as `Link: <path>; rel="help"`. Called at the
   * start, once for each code of the service and of accounts, and with null for codes of PostgREST and PostgreSQL.
   */
  findHelp?(code: ErrorCode | AuthErrorCode | null): string | null;
  /**
   * The document that `GET /rest/v1/` returns: the objects of one exposed schema that the caller may use. At most one loaded
   * extension has it; without it, the root has no document.
   */
  describeSchema?(catalogue: Catalogue, description: SchemaDescription): unknown;
}

/** What `configure` adds to an extension. */
export interface ConfiguredExtension<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** In addition to `routes`. */
  readonly routes?: readonly ExtensionRoute<Rows>[];
  /** Receives what every process of the service observes. */
  readonly observation?: ExtensionObservation;
  /** URLs that the operator has set: for `fetch`, their origins may have any address and may use plain HTTP. */
  readonly trustedUrls?: readonly string[];
  /** How `fetch` differs from its default. */
  readonly connections?: ExtensionConnections;
}

export interface ExtensionConnections {
  /** Default: 64. */
  readonly perOrigin?: number;
  /** How long a response may send nothing; 0: any time. Default: five minutes. */
  readonly idleTimeoutMs?: number;
  /** Whether servers on this machine may be reached without TLS, where the address policy allows it. Default: false. */
  readonly allowsPlainLoopback?: boolean;
}

export interface ExtensionObservation {
  /** Receives each log line of this process, with its secrets removed. Must neither throw nor wait. */
  onLine?(line: LogLine): void;
  /** Receives the user of each request of this process that has ended, also of those that are not logged; null means nobody. Must neither throw nor wait. */
  onRequest?(userId: string | null): void;
  /** Whether `readMetrics` of the context is called, so that the service measures also without a metrics endpoint. */
  readonly hasMetrics?: boolean;
}

export interface ExtensionWorker<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  readonly name: string;
  /** Runs in every process of every node, whatever its roles, also while the database is a held copy. */
  readonly isOnEveryNode?: boolean;
  /** Resolves soon after the signal is aborted, and not before; started again with a delay when it fails. */
  run(signal: AbortSignal, context: ExtensionContext<Rows>): Promise<void>;
}

export interface ExtensionGauge {
  /** Begins with `swarmbase_<extension>_`. */
  readonly name: string;
  readonly help: string;
}

/** A finding of `swarmbase doctor`; a problem says why it matters and what to do. */
export type ExtensionFinding =
  | { readonly level: "ok"; readonly what: string }
  | {
      readonly level: "warning" | "fault";
      readonly what: string;
      readonly why: string;
      readonly advice: string;
    };

export interface ExtensionAccess {
  /** Inserts the rows that the statements name. */
  readonly rows?: string;
  /** As `server/test/access/matrix.ts` has them: `ext_notes.notes | select | yes - - …`. */
  readonly matrix: string;
  /** For each of `tables`, what API keys may do: lines as those of `server/test/access/key-matrix.ts`. */
  readonly keyMatrix?: string;
  /** Table to operation to statement; `:caller`, `:owner` and the other names of the test world are filled in. */
  readonly statements: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Checks the type of an extension, and types `settings` in its handlers by its rows. */
export function defineExtension<const Rows extends readonly ExtensionSettingRow[]>(
  extension: Extension<Rows>,
): Extension<Rows> {
  return extension;
}
