import type { ApiKeyScope, FunctionsClient, LimitName, PendingApproval } from "@swarmbase/sdk";
import type { ToolAnswer } from "../agents/index.ts";
import type { Environment, ExtensionSettingRow, ExtensionSettings } from "../config/index.ts";
import type { MetricFamily } from "../observe/index.ts";
import type { BackgroundResult } from "../processes/index.ts";
import type { Catalogue, QualifiedName } from "../rest/index.ts";
import type { InterfaceDescription } from "./describe-interface.ts";
import type { ExtensionOperations } from "./operations-port.ts";
import type { RunStart, RunStartAnswer } from "./run-port.ts";
import type { ExtensionServer } from "./server-port.ts";
import type { ExtensionTable } from "./table-port.ts";

export interface ExtensionContext<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  /** By the name of the environment variable. */
  readonly settings: ExtensionSettings<Rows>;
  readonly database: ExtensionDatabase;
  /** The service's version. */
  readonly version: string;
  now(): Date;
  /**
   * Requests to other hosts, under the address policy of webhooks and tools, except for the `trustedUrls` of the extension;
   * redirects and compressed responses are errors.
   */
  readonly fetch: typeof globalThis.fetch;
  /** Why `fetch` would reject this URL without a connection; null when it would not. */
  findUrlFault(url: string): string | null;
  /** The variables with which the service was started, for programs that an operator lets an extension start. */
  readonly environment: Environment;
  /** A new id for a row, in the order of time. */
  newId(): string;
  /** Encrypts a value for storage. It can be opened only under the same label, which names its row. */
  seal(label: string, value: string): Buffer;
  /** Throws when the value was sealed with another master key or under another label. */
  unseal(label: string, sealed: Buffer): string;
  /**
   * Stores a message of a user and a queued run in a transaction of `database.asService`, with the rights, limits and grants that
   * the user has at this moment. Each key, of 1 to 255 characters, starts one run of this extension, as long as the run is kept.
   * The transaction can go on after every answer. Throws when the database is unavailable, and in a restored copy.
   */
  startRun(userId: string, start: RunStart, key: string, transaction: Query): Promise<RunStartAnswer>;
  /**
   * Calls the listener after each transaction, of any node, in which a function of the extension has called
   * `private.wake_extension('<name>')`, and when such calls may have been missed. Returns what ends this. A database behind a
   * transaction pooler, without DATABASE_DIRECT_URL, wakes nobody.
   */
  onWake(listener: () => void): () => void;
  /**
   * A request to `/rest/v1` as a caller that the core has given: that of a request, or the starter of a tool call. Throws an
   * `AppError` for what is an error response there, and before the service listens.
   */
  restAs(caller: ExtensionCaller, call: ExtensionRestCall, signal?: AbortSignal): Promise<ExtensionRestAnswer>;
  /**
   * A request to `/rest/v1` as the service role, whatever the caller may see: only for what the owner of the rows has made
   * public. Throws before the service listens.
   */
  restAsService(call: ExtensionRestCall): Promise<ExtensionRestAnswer>;
  /**
   * A request to an endpoint below `/auth/v1` that only the service role may call, such as `/admin/users`. The route decides who
   * may cause it. Throws before the service listens.
   */
  authAsService(call: ExtensionAuthCall): Promise<ExtensionAuthAnswer>;
  /** Tables, views and functions of the exposed schemas as REST serves them now. Throws before the service listens. */
  catalogue(): Catalogue;
  /** Whether a function belongs to the service, its extensions or PostgreSQL, and not to the app. */
  isOfService(name: QualifiedName): boolean;
  /** The tables that all loaded extensions add to `public`. */
  tables(): readonly ExtensionTable[];
  /** The metrics of this process with their current values; empty unless `observation.hasMetrics` or a metrics endpoint asks for them. */
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** The database server as a whole, for packages that copy it. */
  readonly server: ExtensionServer;
  /** For packages that serve the person who runs the service. The route decides who may ask. */
  readonly operations: ExtensionOperations;
  /**
   * Runs a command of the service in a process of its own, with the environment of this one and at a low priority. It ends
   * with this process and when the signal aborts.
   */
  runInBackground(args: readonly string[], signal: AbortSignal): Promise<BackgroundResult>;
  /** Sets one of the extension's `gauges`; null means that it has no value. Only the process that sets it reports it. */
  setGauge(name: string, value: number | null): void;
  /** Writes the log event `extension.note`. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The same for a failure: the log event `extension.failed`. */
  fail(message: string, error: unknown): void;
  /** Writes a log event of the servers of tools. Their number per minute is limited, because servers cause them. */
  noteToolServer(
    event: "tool.definitions_excluded" | "tool.server_ended",
    fields: Readonly<Record<string, unknown>>,
  ): void;
  /** Throws the 403 of an API key that lacks one of these scopes or is bound to resources, as `keyScope` of a route does. */
  requireKeyScope(caller: ExtensionCaller, scopes: readonly ApiKeyScope[]): void;
  /** The beginning of a long response, a line in place of binary content. Throws a `ToolFailure` for a status that is not 2xx. */
  toToolAnswer(
    response: Pick<Response, "status" | "headers"> & { readonly body: AsyncIterable<Uint8Array> | null },
    maxChars: number,
  ): Promise<ToolAnswer>;
  /** Why a text is not JSON that satisfies a schema, by the rules of `response_schema`; null when it is. */
  findAnswerFault(schema: Readonly<Record<string, unknown>>, text: string): Promise<string | null>;
  /** The routes of the core with their access, limits and bodies, and the error codes of accounts. */
  describe(): InterfaceDescription;
  /** The public URL of the service, for links and documents that name it. Throws before the service listens. */
  baseUrl(): string;
  /** The origins of `baseUrl()` and of `SITE_URL`, for protocols that must reject the `Origin` of other sites. */
  ownOrigins(): readonly string[];
  /** Whether a browser may be sent there: to `SITE_URL`, or to an address that `REDIRECT_ALLOW_LIST` permits. */
  isRedirectAllowed(url: string): boolean;
  /**
   * Where the person signs in whom a waiting call asks for an account: the page of the console, which also finishes the sign-in, or
   * without a console the address at the server. Null means that the call asks for none.
   */
  connectUrl(call: Pick<PendingApproval, "tool_execution_id" | "question">): string | null;
}

export interface ExtensionRoute<Rows extends readonly ExtensionSettingRow[] = readonly ExtensionSettingRow[]> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Segments may be `:name`. Paths of the core (`/rest/v1`, `/auth/v1`, …) are reserved. `/functions/v1/<name>` is free when the
   * core has no function of this name.
   */
  readonly path: string;
  /**
   * `bearer`: an API key and a token of any role. `bearer-alone`: a token or API key (`sk_…`) of a user, without the header
   * `apikey`, for other protocols. `optional-bearer`: the same, or nobody without a bearer. `account`: a user with a live
   * session, or the service role. `user`: a user with a live session. `service`: the service role.
   */
  readonly access: "public" | "apikey" | "bearer" | "bearer-alone" | "optional-bearer" | "account" | "user" | "service";
  /**
   * What an API key of a user needs: all of these scopes, without being bound to resources. `checked`: what the handler calls as
   * the caller decides. Absent or null: API keys are rejected.
   */
  readonly keyScope?: readonly ApiKeyScope[] | "checked" | null;
  /**
   * The path of the resource that the route belongs to, such as `/mcp`. Programs that a person has let in need a token for it, and read at `/.well-known/oauth-protected-resource<resource>` where they get one. Absent means the API.
   */
  readonly resource?: string;
  /**
   * The user must have proved within the last ten minutes to be the owner of the account, by a sign-in, the password, a factor or a
   * mailed nonce. Only with access `bearer-alone`, `user` or `account`. API keys are rejected.
   */
  readonly needsProof?: boolean;
  /** The row of the rate limits that a call counts for; rows other than `api` and `auth` count for `api` too. */
  readonly limit: LimitName | null;
  /** The body arrives as a Buffer of any media type instead of parsed JSON. */
  readonly isBodyRaw?: boolean;
  /** A route of GET that has no HEAD. */
  readonly isHeadRejected?: boolean;
  /**
   * Renders the errors of the route in the form of its protocol, those before the handler (401, 413, 429) included. Without it,
   * errors have the common body. Where all routes that begin with the same segment have it, that of the first one also renders the
   * 404 and 405 of other paths there. Must not throw.
   */
  renderError?(error: ExtensionError, request: Pick<ExtensionRequest, "id" | "headers">): ExtensionErrorResponse;
  handler(request: ExtensionRequest, context: ExtensionContext<Rows>): Promise<ExtensionResponse> | ExtensionResponse;
}

export interface ExtensionRequest {
  /** The id of the request in the log and in `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The query as it was sent, with its `?`; empty when there is none. */
  readonly search: string;
  /** The first value of each name. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case; the first value of each. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, `undefined` without a body; a Buffer where the route says `isBodyRaw`. */
  readonly body: unknown;
  readonly caller: ExtensionCaller;
  /**
   * Counts a call that the handler rejects for its sender: against the address, and against the subject, such as the secret that was tried.
   * Throws the 429 once either was rejected as often as the limit of API requests says. Nothing else is refused because of it.
   */
  countRejection(subject: string): Promise<void>;
  /** The core as the caller. Only with access `bearer-alone`, `optional-bearer` with a bearer, `user` or `account`. */
  readonly core: ExtensionCore;
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
}

/**
 * Tables and functions of the core in the same process, as the caller: with its row-level rules, the scopes of its API key, and
 * the limits of runs and tools. The request counts as one API request, however many calls its handler makes.
 */
export interface ExtensionCore extends FunctionsClient {
  /**
   * The functions, in the form that `respond`, `attach` and `invokeFunction` of the SDK take: they start and follow runs,
   * continue after the last event, cancel, and decide about approvals.
   */
  readonly functions: FunctionsClient["functions"];
  /** A request to `/rest/v1`. Throws an `AppError` for what is an error response there. */
  rest(call: ExtensionRestCall): Promise<ExtensionRestAnswer>;
  /** Whether the caller may do this: an API key has some scopes, a token has all rights of its user. */
  hasScope(scope: ApiKeyScope): boolean;
  /** Throws the 403 of a caller without the scope, where a call of the core would throw it too late. */
  requireScope(scope: ApiKeyScope): void;
  /** Records that the caller downloads the data of the account, in the audit log and in a mail to its owner. */
  recordExport(): Promise<void>;
}

export interface ExtensionRestCall {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below `/rest/v1`, with its query: `/messages?swarm_id=eq.…&order=seq`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Rolled back: the call tells whether it would succeed, before something that cannot be undone. */
  readonly isTrial?: boolean;
  /** PostgreSQL rejects every write, also that of a function. */
  readonly isReadOnly?: boolean;
  /** The body of the answer stays text, so that numbers keep all their digits. */
  readonly isText?: boolean;
}

export interface ExtensionRestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed JSON; text for other media types and with `isText`, and "" without a body. */
  readonly body: unknown;
}

export interface ExtensionAuthCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/auth/v1`, percent-encoded, without a query: `/admin/users/<id>/logout`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface ExtensionAuthAnswer {
  readonly status: number;
  /** Undefined without a body. */
  readonly body?: unknown;
}

/** An error as a route renders it. */
export interface ExtensionError {
  readonly status: number;
  /** Of the service; a code of PostgREST or PostgreSQL where the same error has it under `/rest/v1`. */
  readonly code: string;
  readonly message: string;
  /** By field, or null. */
  readonly details: unknown;
  readonly retryAfterSeconds: number | null;
}

export interface ExtensionErrorResponse {
  /** Default: the status of the error. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body: unknown;
}

/** Handed on to `database.asCaller` as it is. */
export interface ExtensionCaller {
  readonly role: "anon" | "authenticated" | "service_role";
  /** Null for the anon and the service role. */
  readonly userId: string | null;
  /** The verified claims of the token; `{}` without a token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The program that acts for the user, an OAuth client. Absent means the user or an API key. */
  readonly client?: { readonly id: string } | undefined;
}

export interface ExtensionResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer or string is sent as it is, anything else as JSON, `undefined` as an empty body. */
  readonly body?: unknown;
  /** Sent piece by piece instead of `body`; the headers name its content type. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
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
