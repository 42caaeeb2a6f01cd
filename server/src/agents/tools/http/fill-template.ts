import { isRecord, type JsonRecord } from "../../../json/index.ts";
import { invalidInput } from "../invalid-input.ts";

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;

/** Replaces the placeholders of a URL. Omits a query parameter that consists of an argument which is absent. */
export function fillUrl(template: string, input: JsonRecord): URL {
  const queryStart = template.indexOf("?");
  const path = queryStart === -1 ? template : template.slice(0, queryStart);
  const query = queryStart === -1 ? [] : template.slice(queryStart + 1).split("&");
  const filledPath = path.replaceAll(PLACEHOLDER, (_whole, name: string) => encodeSegment(textOf(input, name)));
  const filledQuery = query
    .filter((part) => !isOfMissing(part, input))
    .map((part) => part.replaceAll(PLACEHOLDER, (_whole, name: string) => encodeURIComponent(textOf(input, name))));
  const url = new URL(filledQuery.length === 0 ? filledPath : `${filledPath}?${filledQuery.join("&")}`);
  if (url.origin !== new URL(template.replaceAll(PLACEHOLDER, "x")).origin) {
    throw invalidInput("The arguments must not change the host.");
  }
  return url;
}

/** Replaces the placeholders of a body. A string that is exactly one placeholder becomes the argument with its type. */
export function fillBody(template: unknown, input: JsonRecord): unknown {
  if (typeof template === "string") {
    const [, only] = /^\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}$/.exec(template) ?? [];
    if (only !== undefined) return Object.hasOwn(input, only) ? input[only] : null;
    return template.replaceAll(PLACEHOLDER, (whole, name: string) =>
      Object.hasOwn(input, name) ? textOf(input, name) : whole,
    );
  }
  if (Array.isArray(template)) return template.map((item: unknown) => fillBody(item, input));
  if (!isRecord(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillBody(value, input)]));
}

/** The arguments that the URL does not use. */
export function withoutUsed(template: string, input: JsonRecord): JsonRecord {
  const used = new Set([...template.matchAll(PLACEHOLDER)].map(([, name]) => name));
  return Object.fromEntries(Object.entries(input).filter(([name]) => !used.has(name)));
}

function isOfMissing(part: string, input: JsonRecord): boolean {
  const [, name] = /^[^=]*=\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}$/.exec(part) ?? [];
  return name !== undefined && (!Object.hasOwn(input, name) || input[name] === null);
}

function textOf(input: JsonRecord, name: string): string {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || value === null) throw invalidInput(`The argument ${name} is required.`);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Encodes one path segment. Rejects `.` and `..`, which would change the path. */
function encodeSegment(text: string): string {
  if (text === "" || /^\.{1,2}$/.test(text))
    throw invalidInput("A path argument must not be empty or consist of dots only.");
  return encodeURIComponent(text);
}
