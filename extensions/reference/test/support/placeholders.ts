const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const SECRET = /whsec_[A-Za-z0-9+/=_-]+/g;
const API_KEY = /sk_[0-9A-Za-z]{6,}/g;
const TOOL_CALL = /call_[0-9a-f]{16}/g;
/** Members whose number differs from run to run. */
const DURATIONS: ReadonlySet<string> = new Set(["first_token_ms", "duration_ms", "response_time_ms"]);

const EXAMPLE_TIME = "2026-11-15T12:00:00.000000+00:00";
const EXAMPLE_DAY = "2026-11-15";
const EXAMPLE_SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
const EXAMPLE_API_KEY = "sk_1a2B3c";
const EXAMPLE_TOOL_CALL = "call_0123456789abcdef";
const EXAMPLE_MILLISECONDS = 120;

/** Replaces what differs from run to run: ids by their order of appearance, times, durations, secrets and given texts. */
export class Placeholders {
  readonly #ids = new Map<string, string>();
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  replace(value: unknown): unknown {
    if (typeof value === "string") return this.replaceText(value);
    if (Array.isArray(value)) return value.map((item) => this.replace(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        DURATIONS.has(name) && typeof member === "number" ? EXAMPLE_MILLISECONDS : this.replace(member),
      ]),
    );
  }

  replaceText(text: string): string {
    let replaced = text;
    for (const [from, to] of this.#texts) replaced = replaced.replaceAll(from, to);
    return replaced
      .replaceAll(UUID, (id) => this.#idOf(id))
      .replaceAll(TIME, EXAMPLE_TIME)
      .replace(DAY, EXAMPLE_DAY)
      .replaceAll(SECRET, EXAMPLE_SECRET)
      .replaceAll(API_KEY, EXAMPLE_API_KEY)
      .replaceAll(TOOL_CALL, EXAMPLE_TOOL_CALL);
  }

  #idOf(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const placeholder = `019a8b2c-0000-7000-8000-${String(this.#ids.size + 1).padStart(12, "0")}`;
    this.#ids.set(id, placeholder);
    return placeholder;
  }
}
