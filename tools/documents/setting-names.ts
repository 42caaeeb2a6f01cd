import type { ExtensionSettingRow } from "../../server/src/config/index.ts";

interface NameRule {
  /** As the reference shows it; `…` stands for any words. */
  readonly form: string;
  readonly pattern: RegExp;
  readonly kinds: readonly ExtensionSettingRow["kind"][];
  readonly means: string;
}

const NUMBER = ["integer"] as const;

/** What the name of a setting says about its value: settings of one kind have one form and one unit. */
export const NAME_RULES: readonly NameRule[] = [
  {
    form: "…_TIMEOUT_MS",
    pattern: /_TIMEOUT_MS$/,
    kinds: NUMBER,
    means: "how long something may take, in milliseconds",
  },
  { form: "…_DELAY_MS", pattern: /_DELAY_MS$/, kinds: NUMBER, means: "how long something is put off, in milliseconds" },
  { form: "…_TTL_SECONDS, …_TTL_DAYS", pattern: /_TTL_(SECONDS|DAYS)$/, kinds: NUMBER, means: "lifetime" },
  { form: "…_INTERVAL_SECONDS", pattern: /_INTERVAL_SECONDS$/, kinds: NUMBER, means: "time between two repetitions" },
  { form: "…_RETENTION_DAYS", pattern: /_RETENTION_DAYS$/, kinds: NUMBER, means: "age at which rows are removed" },
  { form: "…_SECONDS", pattern: /(?<!_(TIMEOUT|DELAY|RETENTION))_SECONDS$/, kinds: NUMBER, means: "another duration" },
  { form: "…_LIMIT_BYTES", pattern: /_LIMIT_BYTES$/, kinds: NUMBER, means: "maximum size" },
  { form: "…_WARNING_BYTES", pattern: /_WARNING_BYTES$/, kinds: NUMBER, means: "size at which a warning is logged" },
  {
    form: "…_PER_SECOND, LIMIT_…",
    pattern: /_PER_SECOND$|^LIMIT_[A-Z]+$/,
    kinds: NUMBER,
    means: "maximum rate per second, and per minute",
  },
  {
    form: "…_PER_USER, …_PER_NODE and so on",
    pattern: /_PER_(NODE|SERVER|USER|ADDRESS|SOCKET|TOPIC)$/,
    kinds: NUMBER,
    means: "maximum number, of bytes where the name says so, for each of them",
  },
  { form: "…_MAX_…", pattern: /_MAX_[A-Z]+(_[A-Z]+)?$/, kinds: NUMBER, means: "maximum number in one request" },
  { form: "…_CONCURRENCY", pattern: /_CONCURRENCY$/, kinds: NUMBER, means: "maximum number at a time" },
  { form: "…_QUEUE_LIMIT", pattern: /_QUEUE_LIMIT$/, kinds: NUMBER, means: "maximum number that waits" },
  { form: "…_SHARE_PERCENT", pattern: /_SHARE_PERCENT$/, kinds: NUMBER, means: "part of a capacity" },
  { form: "…_KEPT", pattern: /_KEPT$/, kinds: NUMBER, means: "number of the latest that stay" },
  { form: "…_LENGTH", pattern: /_LENGTH$/, kinds: NUMBER, means: "number of characters" },
  { form: "…_PORT", pattern: /^([A-Z]+_)?PORT$/, kinds: NUMBER, means: "port" },
  { form: "…_ENABLED", pattern: /_ENABLED$/, kinds: ["boolean"], means: "whether there is a feature" },
  { form: "…_FILE, …_DIR", pattern: /_(FILE|DIR)$/, kinds: ["path"], means: "path of a file, of a folder" },
  {
    form: "…_URL",
    pattern: /_URL$/,
    kinds: ["https-url", "http-url", "postgres-url", "smtp-url", "redis-url"],
    means: "address",
  },
];

/** Names without a rule, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  WORKERS: "a number of processes; there is one such setting",
  DB_POOL_SIZE: "the established name of the number of connections of a pool",
  AUTH_PASSWORD_MEMORY_KIB: "a parameter of argon2id, in the unit of its hashes",
  AUTH_PASSWORD_ITERATIONS: "a parameter of argon2id",
  AUTH_PASSWORD_PARALLELISM: "a parameter of argon2id",
  AUTH_AUTOCONFIRM: "how an existing feature behaves",
  AUTH_REAUTHENTICATE: "how an existing feature behaves",
  AUTH_SECURE_EMAIL_CHANGE: "how an existing feature behaves",
  AUTH_MFA_ENFORCE: "how an existing feature behaves",
  DB_TX_OVERRIDE: "how an existing feature behaves",
  PROVIDER_DETECTION: "how an existing feature behaves",
  OPERATOR_READS_CONTENT: "how an existing feature behaves",
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "defined by OpenTelemetry",
};

/** Units that a description can state, with the end that the name then has. */
const UNITS: readonly (readonly [description: RegExp, name: RegExp])[] = [
  [/\bin milliseconds\b/, /_MS$/],
  [/\bin bytes\b/, /_BYTES(_PER_[A-Z]+)?$/],
  [/^Days\b/, /_DAYS$/],
  [/\bin percent\b/, /_PERCENT$/],
  [/^(Time (?!cost)|The time |How long |Lifetime |Delay |Maximum (age|duration|time) )/, /_(MS|SECONDS|DAYS)$/],
];

/** Says which names do not follow the rules, and which exceptions are no longer needed. */
export function findMisnamedSettings(rows: readonly ExtensionSettingRow[]): readonly string[] {
  const ruledKinds = new Set(NAME_RULES.flatMap(({ kinds }) => kinds));
  const follows = ({ name, kind }: ExtensionSettingRow): boolean =>
    NAME_RULES.some(({ pattern, kinds }) => kinds.includes(kind) && pattern.test(name));
  const ruled = rows.filter(({ kind }) => ruledKinds.has(kind));
  return [
    ...ruled
      .filter((row) => !follows(row) && !Object.hasOwn(EXCEPTIONS, row.name))
      .map(({ name, kind }) => `${name}: no rule for a setting of kind ${kind} has this form`),
    ...rows.flatMap(({ name, description, kind }) =>
      UNITS.filter(([says, ends]) => kind === "integer" && says.test(description) && !ends.test(name)).map(
        ([says]) => `${name}: its description says ${says.exec(description)?.[0]}, its name does not`,
      ),
    ),
    ...ruled
      .filter((row) => follows(row) && Object.hasOwn(EXCEPTIONS, row.name))
      .map(({ name }) => `${name}: is an exception, but follows a rule`),
  ];
}

export function findUnusedExceptions(rows: readonly ExtensionSettingRow[]): readonly string[] {
  const names = new Set(rows.map(({ name }) => name));
  return Object.keys(EXCEPTIONS).filter((name) => !names.has(name));
}
