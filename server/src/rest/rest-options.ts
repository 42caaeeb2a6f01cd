import type { Database, Principal } from "../db/index.ts";
import type { Observer } from "../observe/index.ts";
import type { DescribeSchema } from "./describe.ts";
import type { TouchedName } from "./plan/names-of.ts";
import type { TableRules } from "./table-rules.ts";

export interface RestOptions {
  readonly database: Pick<Database, "user" | "service" | "commits">;
  /** Where schema changes are announced; null means that they are found by polling. */
  readonly listenUrl: string | null;
  readonly rules: TableRules;
  readonly settings: RestSettings;
  /** Relations and functions of the service: they leave no state on a connection and do not read the request settings. */
  isOwn(name: TouchedName): boolean;
  /** Relations and functions of the service that the portal reaches, and types to which it casts. */
  isOfPortal(name: TouchedName): boolean;
  /** Translates errors of the enter statement about the session; returns all others unchanged. */
  translateEnter(error: unknown, principal: Principal): unknown;
  /** Called after a write, with the paths of the requests without the prefix, so that workers can be woken. */
  onWrite?(paths: readonly string[]): void;
  /** Called after a transaction that has made work for webhooks, for the same purpose. */
  onWebhookWork?(): void;
  /** The document of the root. Null means that the root has none. */
  readonly describeSchema?: DescribeSchema | null;
  /** The public URL of the service. */
  baseUrl(): string;
  readonly version: string;
  readonly observer: Observer;
}

interface RestSettings {
  readonly dbSchemas: readonly string[];
  readonly dbExtraSearchPath: readonly string[];
  /** A function that runs before each request; null means none. */
  readonly dbPreRequest: string | null;
  /** 0: no limit. */
  readonly dbMaxRows: number;
  readonly dbMaxEmbedDepth: number;
  readonly dbMaxEmbeds: number;
  readonly dbResponseLimitBytes: number;
  readonly dbBufferLimitBytes: number;
  readonly dbMaxCountedRows: number;
  readonly dbStatementTimeoutMs: number;
  readonly dbPlanEnabled: boolean;
  readonly dbTxOverride: boolean;
}
