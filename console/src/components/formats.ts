/** Numbers and times in the language of the browser. */
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "long" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;
const JUST_NOW_SECONDS = 10;

export function formatRelative(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  if (Number.isNaN(seconds)) return "unknown";
  if (Math.abs(seconds) < JUST_NOW_SECONDS) return "just now";
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(seconds, "second");
}

export function formatExact(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? "unknown" : exact.format(time);
}

export function formatCount(count: number): string {
  return whole.format(count);
}

/** 1.2K, 3.4M */
export function formatCompact(count: number): string {
  return compact.format(count);
}

export function formatTokens(count: number): string {
  return `${compact.format(count)} ${count === 1 ? "token" : "tokens"}`;
}

interface Tokens {
  readonly input_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly output_tokens: number | null;
}

/** "1,200 in (1,000 cached), 40 out"; empty if nothing was counted. */
export function formatUsage({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
}: Tokens): string {
  if (input === null || output === null) return "";
  return `${formatCount(input)} in${cached ? ` (${formatCount(cached)} cached)` : ""}, ${formatCount(output)} out`;
}

export function formatPercent(share: number): string {
  return percent.format(share);
}

/** A single response costs fractions of a cent, so small amounts have more digits. */
export function formatMoney(dollars: number): string {
  const digits = dollars === 0 || Math.abs(dollars) >= 1 ? 2 : Math.abs(dollars) >= 0.01 ? 4 : 6;
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(dollars);
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** 512 B, 1.5 MB */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[step]}`;
}

/** 350 ms, 2.4 s, 3 min 12 s */
export function formatDuration(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
