import { hash } from "node:crypto";
import { AppError, isRecord, readJson } from "swarmbase/extension";
import { readStandardHeader, type SignedCall, type TriggerScheme } from "../verification/read-claim.ts";
import { lookUp } from "../message/look-up.ts";

/** A call whose sender is known. */
export interface ReadCall {
  readonly payload: unknown;
  /** The payload as JSON, as it was sent if it was. */
  readonly text: string;
  /** What two calls for the same event have in common; null means nothing, so that each is an event. */
  readonly eventId: string | null;
  readonly eventType: string | null;
}

type EventIdScheme = Pick<TriggerScheme, "verification"> & { readonly eventIdPath: string | null };

/** Short enough for an index, and a word that people can read. */
const EVENT_ID = /^[\x21-\x7e]{1,200}$/;
const EVENT_TYPE = /^[\w.:/-]{1,100}$/;

/** Throws the 400 of a body that is neither JSON nor a form. */
export function readCall(scheme: EventIdScheme, call: SignedCall): ReadCall {
  const { payload, text } = readPayload(call);
  const eventId = findEventId(scheme, call, payload);
  const eventType = findEventType(scheme, call, payload);
  return {
    payload,
    text,
    eventId: eventId === null || EVENT_ID.test(eventId) ? eventId : `sha256:${hash("sha256", eventId, "hex")}`,
    eventType: typeof eventType === "string" && EVENT_TYPE.test(eventType) ? eventType : null,
  };
}

function readPayload({ headers, body }: SignedCall): Pick<ReadCall, "payload" | "text"> {
  const text = decode(body);
  if (/^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "")) {
    const fields = Object.fromEntries(new URLSearchParams(text));
    // GitHub and Slack can send their JSON as the field of a form.
    const inner = Object.hasOwn(fields, "payload") ? readJson(fields["payload"] ?? "") : null;
    const payload = inner !== null && inner.fault === null ? inner.value : fields;
    return { payload, text: JSON.stringify(payload) };
  }
  const read = readJson(text);
  if (read.fault !== null) throw invalidBody(read.fault);
  return { payload: read.value, text };
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw invalidBody("must be UTF-8");
  }
}

function invalidBody(fault: string): AppError {
  return new AppError("VALIDATION_ERROR", "The request body is not valid", { details: { body: fault } });
}

/** Only what the sender has signed; a digest of it where a scheme signs no id. Headers count for a bearer, which signs nothing. */
function findEventId(scheme: EventIdScheme, { headers, body }: SignedCall, payload: unknown): string | null {
  const digest = (): string => `sha256:${hash("sha256", body, "hex")}`;
  switch (scheme.verification) {
    case "stripe":
      return readText(payload, "id") ?? digest();
    case "slack":
      return readText(payload, "event_id") ?? readText(payload, "trigger_id") ?? digest();
    case "standard_webhooks":
      return readStandardHeader(headers, "id");
    case "github":
      return digest();
    case "hmac":
      return readText(payload, scheme.eventIdPath) ?? digest();
    case "bearer":
      return readText(payload, scheme.eventIdPath) ?? headers["idempotency-key"] ?? headers["webhook-id"] ?? null;
  }
}

function findEventType({ verification }: EventIdScheme, { headers }: SignedCall, payload: unknown): unknown {
  if (verification === "github") return headers["x-github-event"];
  return (verification === "slack" ? lookUp(payload, "event.type") : undefined) ?? lookUp(payload, "type");
}

function readText(payload: unknown, path: string | null): string | null {
  const value = path === null ? undefined : lookUp(payload, path);
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}

/** What is done with a call of a known sender. */
type CallDecision =
  /** The sender only checks the address. */
  { readonly action: "answer"; readonly body: Readonly<Record<string, unknown>> } | { readonly action: "start" };

export function decideCall({ verification }: Pick<TriggerScheme, "verification">, call: ReadCall): CallDecision {
  const { payload, eventType } = call;
  if (verification === "slack" && isRecord(payload) && payload["type"] === "url_verification")
    return { action: "answer", body: { challenge: payload["challenge"] ?? null } };
  if (verification === "github" && eventType === "ping") return { action: "answer", body: { answer: "pong" } };
  return { action: "start" };
}
