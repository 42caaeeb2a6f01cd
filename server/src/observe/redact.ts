const SECRET_WORDS = new Set([
  "apikey",
  "authorization",
  "cookie",
  "credential",
  "credentials",
  "key",
  "keys",
  "passphrase",
  "passwd",
  "password",
  "passwords",
  "secret",
  "secrets",
  "token",
  "tokens",
]);

const REDACTED = "[redacted]";
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;

// Connection strings contain passwords too, and appear in error messages of libraries.
const URL_USERINFO = /([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/@]*@/gi;
// A signed token is recognisable in any text: two base64url parts with a dot, both of JSON objects.
const SIGNED_TOKEN = /eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*/g;

// An API key of a user. A whole key is recognisable after any character, such as the last digit of `%20`; a cut one only
// at the beginning of a word, because `task_` ends like the prefix of keys.
const USER_KEY = /(?:\bsk_|sk(?:_|%5F)(?=[0-9A-Z]{40}))[0-9A-Z]{20,}/gi;

interface RedactOptions {
  readonly withStack: boolean;
}

/** Returns a copy of `fields` that is safe to log: no values of secret names, no bytes, no cycles, reduced errors. */
export function redactFields(fields: Record<string, unknown>, options: RedactOptions): Record<string, unknown> {
  return redactRecord(fields, options, 0);
}

/** Caches which names are secret: every request logs the same few names. */
const isSecretByName = new Map<string, boolean>();
const MAX_CACHED_NAMES = 500;
const MAX_CACHED_LENGTH = 64;

export function isSecretName(name: string): boolean {
  const known = isSecretByName.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/);
  const isSecret = words.flatMap((word) => word.split(" ")).some((word) => SECRET_WORDS.has(word.toLowerCase()));
  if (isSecretByName.size < MAX_CACHED_NAMES && name.length <= MAX_CACHED_LENGTH) isSecretByName.set(name, isSecret);
  return isSecret;
}

/** The text without passwords of connection strings, signed tokens and API keys. */
export function redactText(text: string): string {
  return text.replace(URL_USERINFO, `$1:${REDACTED}@`).replace(SIGNED_TOKEN, REDACTED).replace(USER_KEY, REDACTED);
}

function redactRecord(record: object, options: RedactOptions, depth: number): Record<string, unknown> {
  const printable: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record).slice(0, MAX_ITEMS)) {
    printable[name] =
      isSecretName(name) && value !== null && value !== undefined ? REDACTED : redactValue(value, options, depth);
  }
  return printable;
}

function redactValue(value: unknown, options: RedactOptions, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return redactText(value);
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return "[function]";
    case "object":
      return value === null ? null : redactObject(value, options, depth);
    case "boolean":
    case "number":
    case "undefined":
      return value;
    default:
      return "[unknown]";
  }
}

function redactObject(value: object, options: RedactOptions, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return "[deep]";
  if (value instanceof Error) return redactError(value, options, depth + 1);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(item, options, depth + 1));
  return redactRecord(value, options, depth + 1);
}

function redactError(error: Error, options: RedactOptions, depth: number): Record<string, unknown> {
  // Other fields of an error are omitted on purpose: PostgreSQL puts row values into `detail`.
  const printable: Record<string, unknown> = { name: error.name, message: redactText(error.message) };
  if ("code" in error && (typeof error.code === "string" || typeof error.code === "number"))
    printable["code"] = error.code;
  if (options.withStack && error.stack !== undefined) printable["stack"] = redactText(error.stack);
  if (error instanceof AggregateError) printable["errors"] = redactValue(error.errors, options, depth);
  if (error.cause !== undefined) printable["cause"] = redactValue(error.cause, options, depth);
  return printable;
}
