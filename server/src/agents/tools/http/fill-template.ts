import { isRecord, type JsonRecord } from "../../../json/index.ts";
import { ToolFailure } from "../tool-failure.ts";

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;

/** The URL with the arguments in their places. A query parameter whose only argument was not given is left out. */
export function fillUrl(template: string, input: JsonRecord): URL {
  const at = template.indexOf("?");
  const path = at === -1 ? template : template.slice(0, at);
  const query = at === -1 ? [] : template.slice(at + 1).split("&");
  const filledPath = path.replaceAll(PLACEHOLDER, (_whole, name: string) => encodeSegment(textOf(input, name)));
  const filledQuery = query
    .filter((part) => !isOfMissing(part, input))
    .map((part) => part.replaceAll(PLACEHOLDER, (_whole, name: string) => encodeURIComponent(textOf(input, name))));
  const url = new URL(filledQuery.length === 0 ? filledPath : `${filledPath}?${filledQuery.join("&")}`);
  if (url.origin !== new URL(template.replaceAll(PLACEHOLDER, "x")).origin) {
    throw new ToolFailure("INVALID_TOOL_INPUT", "The arguments must not change the host.");
  }
  return url;
}

/** A template of a body: a text that is one placeholder becomes the argument itself, others have it written into them. */
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
  if (value === undefined || value === null)
    throw new ToolFailure("INVALID_TOOL_INPUT", `The argument ${name} is needed.`);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** One segment stays one segment: dots that would climb are none once they stand beside something. */
function encodeSegment(text: string): string {
  if (text === "" || /^\.{1,2}$/.test(text)) {
    throw new ToolFailure("INVALID_TOOL_INPUT", "An argument that is part of a path must be more than dots.");
  }
  return encodeURIComponent(text);
}
