/** Headings of the reference page, in the order in which they are printed. */
export const SETTING_GROUPS = [
  "Service",
  "TLS",
  "Database",
  "Tables",
  "Keys",
  "Accounts",
  "Mail",
  "Webhooks",
  "Realtime",
  "Agents",
  "Providers",
  "Limits",
  "Timeouts",
  "Logging",
] as const;

interface RowHead {
  readonly name: string;
  readonly group: (typeof SETTING_GROUPS)[number];
  readonly description: string;
  /** The value is never printed, neither in a fault nor with the settings themselves. */
  readonly secret: boolean;
  /** The setting whose value is the default of this one. */
  readonly fallback?: string;
}

interface IntegerRow extends RowHead {
  readonly kind: "integer";
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

interface ChoiceRow extends RowHead {
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly default: string;
}

interface BooleanRow extends RowHead {
  readonly kind: "boolean";
  /** Null when the default depends on other settings; the description says how. */
  readonly default: boolean | null;
}

interface ListRow extends RowHead {
  readonly kind: "addresses" | "url-patterns" | "names" | "extensions";
  /** Null when the default depends on other settings; the description says how. */
  readonly default: readonly string[] | null;
}

interface SecondsListRow extends RowHead {
  readonly kind: "seconds-list";
  readonly default: readonly number[];
}

interface KeyRow extends RowHead {
  readonly kind: "key";
  readonly minLength: number;
  readonly default: null;
}

interface TextRow extends RowHead {
  readonly kind: "host" | "path" | "https-url" | "http-url" | "postgres-url" | "smtp-url" | "redis-url" | "mailbox";
  readonly default: string | null;
}

export type SettingRow = IntegerRow | ChoiceRow | BooleanRow | ListRow | SecondsListRow | KeyRow | TextRow;

type WithoutGroup<Row> = Row extends unknown ? Omit<Row, "group"> : never;

/** A row of an extension; the reference page groups these by extension. */
export type ExtensionSettingRow = WithoutGroup<SettingRow>;
