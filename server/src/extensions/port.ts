import type { ErrorCode, LimitName } from "@swarmbase/sdk";
import type { ToolKind } from "../agents/index.ts";
import type { AuthErrorCode } from "../auth/index.ts";
import type { ExtensionSettingRow, ExtensionSettings } from "../config/index.ts";
import type { InterfaceDescription } from "./describe-interface.ts";

export { AppError } from "../errors/index.ts";
export { escapeHtml } from "../html/index.ts";
export type { ToolCall } from "../agents/index.ts";
export type { DescribedRoute, InterfaceDescription, JsonSchema } from "./describe-interface.ts";
export type { AuthErrorCode, ErrorCode, ExtensionSettingRow, LimitName };

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
  /** Environment variables; each name begins with the extension's name: `NOTES_` for `notes`. */
  readonly settings?: Rows;
  /** A folder with `migrations/*.sql` and optionally `functions/*.sql`, applied in the schema `ext_<name>`. */
  readonly sql?: URL;
  /** Who may do what with each table of the schema: lines of the access matrix, and the statement behind each line. */
  readonly access?: ExtensionAccess;
  /** Served by nodes with the role `api`. */
  readonly routes?: readonly ExtensionRoute<Rows>[];
  /** Run by nodes with the role `worker`; not while the database is a held copy. */
  readonly workers?: readonly ExtensionWorker<Rows>[];
  /** Kinds that `tools.kind` takes as `<extension>.<kind>`. */
  readonly toolKinds?: readonly ExtensionToolKind<Rows>[];
}

export interface ExtensionContext<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** By the name of the environment variable. */
  readonly settings: ExtensionSettings<Rows>;
  readonly database: ExtensionDatabase;
  /** The service's version. */
  readonly version: string;
  now(): Date;
  /** Requests to other hosts, under the address policy of webhooks and tools; redirects are errors. */
  readonly fetch: typeof globalThis.fetch;
  /** Writes the log event `extension.note`. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The same for a failure: the log event `extension.failed`. */
  fail(message: string, error: unknown): void;
  /** The routes of the core with their access, limits and bodies, and the error codes of accounts. */
  describe(): InterfaceDescription;
}

export interface ExtensionRoute<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments may be `:name`. Paths of the core (`/rest/v1`, `/auth/v1`, …) are reserved. */
  readonly path: string;
  /**
   * `bearer`: an API key and a token of any role. `account`: a user with a live session, or the service role.
   * `user`: a user with a live session. `service`: the service role.
   */
  readonly access: "public" | "apikey" | "bearer" | "account" | "user" | "service";
  /** The row of the rate limits that a call counts for; rows other than `api` and `auth` count for `api` too. */
  readonly limit: LimitName | null;
  /** The body arrives as a Buffer of any media type instead of parsed JSON. */
  readonly isBodyRaw?: boolean;
  handler(request: ExtensionRequest, context: ExtensionContext<Rows>): Promise<ExtensionResponse> | ExtensionResponse;
}

export interface ExtensionRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The first value of each name. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case; the first value of each. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, `undefined` without a body; a Buffer where the route says `isBodyRaw`. */
  readonly body: unknown;
  readonly caller: ExtensionCaller;
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
}

/** Handed on to `database.asCaller` as it is. */
export interface ExtensionCaller {
  readonly role: "anon" | "authenticated" | "service_role";
  /** Null for the anon and the service role. */
  readonly userId: string | null;
}

export interface ExtensionResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer or string is sent as it is, anything else as JSON, `undefined` as an empty body. */
  readonly body?: unknown;
  /** Sent piece by piece instead of `body`; the headers name its content type. */
  readonly stream?: AsyncIterable<string>;
}

export interface ExtensionDatabase {
  /** One transaction with the caller's role, under its row-level rules; a caller whose session has ended gets a 401. */
  asCaller<T>(caller: ExtensionCaller, work: (query: Query) => Promise<T>): Promise<T>;
  /** One transaction with the service's login (`sb_service`), which sees what the migrations grant to it. */
  asService<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

/** One statement with parameters; resolves to its rows. */
export type Query = <Row extends object = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

export interface ExtensionWorker<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  readonly name: string;
  /** Resolves soon after the signal is aborted, and not before; started again with a delay when it fails. */
  run(signal: AbortSignal, context: ExtensionContext<Rows>): Promise<void>;
}

export interface ExtensionToolKind<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** Lower-case letters, digits and underscores. */
  readonly name: string;
  /** What is wrong with `tools.config`, by dotted path; empty when it can be stored. */
  findConfigFaults(config: Readonly<Record<string, unknown>>): ReturnType<ToolKind["findConfigFaults"]>;
  /** One call. What it throws fails the tool call; the model sees the message of an AppError, and of nothing else. */
  run(call: Parameters<ToolKind["run"]>[0], context: ExtensionContext<Rows>): ReturnType<ToolKind["run"]>;
}

export interface ExtensionAccess {
  /** Inserts the rows that the statements name. */
  readonly rows?: string;
  /** As `server/test/access/matrix.ts` has them: `ext_notes.notes | select | yes - - …`. */
  readonly matrix: string;
  /** Table to operation to statement; `:caller`, `:owner` and the other names of the test world are filled in. */
  readonly statements: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Checks the type of an extension, and types `settings` in its handlers by its rows. */
export function defineExtension<const Rows extends readonly ExtensionSettingRow[]>(
  extension: Extension<Rows>,
): Extension<Rows> {
  return extension;
}
