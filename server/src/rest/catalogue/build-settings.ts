import type { Isolation } from "@swarmbase/postgres";
import type { SettingsRow } from "./sql/select-catalogue.ts";

/** Settings that a role or a function has of its own, as values of a transaction. */
export interface OwnSettings {
  /** 0: no limit. Null means that it is not set. */
  readonly statementTimeoutMs: number | null;
  readonly lockTimeoutMs: number | null;
  readonly isolation: Isolation | null;
  /** Every other setting that applies, by name. */
  readonly others: ReadonlyMap<string, string>;
}

export const NO_SETTINGS: OwnSettings = {
  statementTimeoutMs: null,
  lockTimeoutMs: null,
  isolation: null,
  others: new Map(),
};

/** Settings of a function that apply to the whole transaction. PostgreSQL applies the others while the function runs. */
const HOISTED = new Set(["statement_timeout", "default_transaction_isolation", "plan_filter.statement_cost_limit"]);

/** Settings that the service sets for each transaction, or that its protocol depends on. */
const SERVICE_CONTROLLED = new Set([
  "client_encoding",
  "default_transaction_deferrable",
  "default_transaction_read_only",
  "role",
  "search_path",
  "session_authorization",
  "transaction_deferrable",
  "transaction_isolation",
  "transaction_read_only",
]);

const ISOLATIONS: readonly Isolation[] = ["read committed", "repeatable read", "serializable"];
const DURATION = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/;
const UNITS_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** By role. A setting for this database comes after the one for all databases, and replaces it. */
export function buildRoleSettings(rows: readonly SettingsRow[]): ReadonlyMap<string, OwnSettings> {
  const byRole = Map.groupBy(rows, ({ role }) => role);
  return new Map(
    [...byRole].map(([role, own]) => [role, toSettings(new Map(own.map(({ name, value }) => [name, value])))]),
  );
}

/** `config` has an entry `name=value` for each setting. */
export function buildFunctionSettings(config: readonly string[] | null): OwnSettings {
  if (config === null) return NO_SETTINGS;
  const pairs = config.map((entry): readonly [string, string] => {
    const equals = entry.indexOf("=");
    return [entry.slice(0, equals), entry.slice(equals + 1)];
  });
  return toSettings(new Map(pairs.filter(([name]) => HOISTED.has(name))));
}

function toSettings(settings: Map<string, string>): OwnSettings {
  const take = (name: string): string => {
    const value = settings.get(name) ?? "";
    settings.delete(name);
    return value;
  };
  const statementTimeoutMs = readDurationMs(take("statement_timeout"));
  const lockTimeoutMs = readDurationMs(take("lock_timeout"));
  const level = take("default_transaction_isolation").toLowerCase();
  const others = new Map([...settings].filter(([name]) => !SERVICE_CONTROLLED.has(name)));
  return { statementTimeoutMs, lockTimeoutMs, isolation: ISOLATIONS.find((one) => one === level) ?? null, others };
}

/** Durations without a unit are milliseconds. */
function readDurationMs(text: string): number | null {
  const [, amount, unit = "ms"] = DURATION.exec(text) ?? [];
  return amount === undefined ? null : Math.round(Number(amount) * (UNITS_MS[unit] ?? 1));
}
