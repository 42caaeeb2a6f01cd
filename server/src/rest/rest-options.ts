import type { Database } from "../db/index.ts";
import type { Observer } from "../observe/index.ts";
import type { TouchedName } from "./plan/names-of.ts";
import type { TableRules } from "./table-rules.ts";

export interface RestOptions {
  readonly database: Pick<Database, "user" | "service">;
  /** Where changes of the schema are announced; null: they are found by looking. */
  readonly listenUrl: string | null;
  readonly rules: TableRules;
  readonly settings: RestSettings;
  /** Our own relations and functions: nothing of them leaves traces on a connection or looks at a request. */
  isOwn(name: TouchedName): boolean;
  /** The enter statement's own rejections, in the words of whoever knows about sessions; all others as they are. */
  translateEnter(error: unknown): unknown;
  /** Something may have been written that others wait for; with the paths of the requests, as they follow the prefix. */
  onWrite?(paths: readonly string[]): void;
  /** Where clients find the service. */
  baseUrl(): string;
  readonly version: string;
  readonly observer: Observer;
}

export interface RestSettings {
  readonly dbSchemas: readonly string[];
  /** 0: no limit. */
  readonly dbMaxRows: number;
  readonly dbStatementTimeoutMs: number;
  readonly dbPlanEnabled: boolean;
  readonly dbTxOverride: boolean;
}
