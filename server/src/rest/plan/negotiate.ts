import type { FunctionResult, MediaHandler } from "../catalogue/catalogue.ts";
import { ANY_MEDIA, isMediaName } from "../catalogue/media-handlers.ts";
import { parseMediaType } from "../parse/media-type.ts";
import type { MediaType, ParsedRequest } from "../parse/parsed-request.ts";
import type { BodyForm } from "./plan.ts";
import { restError } from "../rest-error.ts";

export interface AnswerMedia {
  /** With charset where one belongs. */
  readonly contentType: string;
  /**
   * As the media type has it. `none` where no row is shown whatever happens (HEAD, OPTIONS, the root, void), but a single
   * object stays `object` even there, and for writes that show nothing, because it also says that there must be one row.
   */
  readonly body: BodyForm;
  readonly explain: ExplainOptions | null;
}

/** The accepted options of `explain`; no other word reaches a statement. */
const EXPLAIN_OPTIONS = ["analyze", "verbose", "settings", "buffers", "wal"] as const;

interface ExplainOptions {
  readonly format: "text" | "json";
  readonly options: readonly (typeof EXPLAIN_OPTIONS)[number][];
}

interface MediaInput {
  readonly isPlanEnabled: boolean;
  /** Null for relations and the root. */
  readonly functionResult: FunctionResult | null;
  /** Of the rows, those with precedence first; absent means none. */
  readonly handlers?: readonly MediaHandler[];
}

type Offer = Omit<AnswerMedia, "explain">;

const CHARSET = "; charset=utf-8";
const JSON_TYPE = "application/json";
const OPENAPI_TYPE = "application/openapi+json";
const VENDOR_PREFIX = "application/vnd.pgrst.";
const NO_BODY: BodyForm = { kind: "none" };
const ROOT_TYPES: ReadonlySet<string> = new Set([OPENAPI_TYPE, JSON_TYPE, "application/*", "*/*"]);
const OPENAPI: AnswerMedia = { contentType: OPENAPI_TYPE + CHARSET, body: NO_BODY, explain: null };
const PLAN_FORMATS: ReadonlyMap<string, "text" | "json"> = new Map([
  ["application/vnd.pgrst.plan", "text"],
  ["application/vnd.pgrst.plan+text", "text"],
  ["application/vnd.pgrst.plan+json", "json"],
]);
const NOTHING: AnswerMedia = { contentType: JSON_TYPE + CHARSET, body: NO_BODY, explain: null };

/** The first acceptable media type, best first, that the target supports. */
export function negotiate(request: ParsedRequest, input: MediaInput): AnswerMedia {
  if (request.method === "OPTIONS") return NOTHING;
  for (const accepted of request.accept) {
    const media = request.target.kind === "root" ? offerRoot(accepted) : offerMedia(accepted, input);
    if (media === null) continue;
    const isBodyless = request.method === "HEAD" || input.functionResult?.kind === "void";
    return isBodyless && media.body.kind !== "object" ? { ...media, body: NO_BODY } : media;
  }
  const types = request.accept.map(({ type }) => type).join(", ");
  throw restError("PGRST107", `None of these media types are available: ${types}`);
}

function offerRoot({ type }: MediaType): AnswerMedia | null {
  return ROOT_TYPES.has(type) ? OPENAPI : null;
}

/** An execution plan has the media type of the explained request as a parameter. */
function offerMedia(accepted: MediaType, input: MediaInput): AnswerMedia | null {
  const format = PLAN_FORMATS.get(accepted.type);
  if (format === undefined) {
    const offer = offerRows(accepted, input);
    return offer === null ? null : { ...offer, explain: null };
  }
  const { for: explained = JSON_TYPE, options: sent = "" } = accepted.parameters;
  const offer = input.isPlanEnabled ? offerRows(parseMediaType(explained), input) : null;
  if (offer === null) return null;
  const words = new Set(sent.split("|").map((word) => word.trim()));
  const options = EXPLAIN_OPTIONS.filter((option) => words.has(option));
  const shown = offer.contentType.replace(CHARSET, "");
  const suffix = options.length === 0 ? "" : `; options=${options.join("|")}`;
  const contentType = `application/vnd.pgrst.plan+${format}; for="${shown}"${suffix}${CHARSET}`;
  return { contentType, body: offer.body, explain: { format, options } };
}

function offerRows(
  { type, parameters }: MediaType,
  { functionResult: result, handlers = [] }: MediaInput,
): Offer | null {
  const own = (result === null ? null : offerRaw(type, result)) ?? offerHandled(type, handlers);
  if (own !== null) return own;
  const hasNulls = parameters["nulls"] !== "stripped";
  switch (type) {
    case "*/*":
    case "application/*":
    case JSON_TYPE:
      return { contentType: JSON_TYPE + CHARSET, body: listForm(result, true) };
    case "application/vnd.pgrst.array+json":
    case "application/vnd.pgrst.array": {
      if (hasNulls) return { contentType: JSON_TYPE + CHARSET, body: listForm(result, true) };
      const contentType = `application/vnd.pgrst.array+json;nulls=stripped${CHARSET}`;
      return { contentType, body: listForm(result, false) };
    }
    case "application/vnd.pgrst.object+json":
    case "application/vnd.pgrst.object": {
      const stripped = hasNulls ? "" : ";nulls=stripped";
      const contentType = `application/vnd.pgrst.object+json${stripped}${CHARSET}`;
      return { contentType, body: singleForm(result, hasNulls) };
    }
    case "text/csv":
    case "text/*":
      return { contentType: `text/csv${CHARSET}`, body: { kind: "csv" } };
    case "application/geo+json":
      return { contentType: `application/geo+json${CHARSET}`, body: { kind: "geojson" } };
    default:
      return null;
  }
}

/** A handler for every media type precedes all others, but media types of PostgREST itself have no handlers. */
function offerHandled(accepted: string, handlers: readonly MediaHandler[]): Offer | null {
  if (accepted.startsWith(VENDOR_PREFIX)) return null;
  const wanted = accepted === ANY_MEDIA ? JSON_TYPE : accepted;
  const handler =
    handlers.find(({ target, media }) => media === ANY_MEDIA && (target !== null || accepted === ANY_MEDIA)) ??
    handlers.find(({ media }) => media === wanted);
  if (handler === undefined) return null;
  return { contentType: nameContent(accepted, handler.media), body: { kind: "handler", handler } };
}

/** Of a handler for every media type: the accepted one, or bytes when any is accepted. */
function nameContent(accepted: string, media: string): string {
  if (media !== ANY_MEDIA) return withCharset(media);
  return accepted.includes("*") ? "application/octet-stream" : withCharset(accepted);
}

/** A scalar function result without JSON; null when the media type does not support that. */
function offerRaw(accepted: string, { kind, isSet, type }: FunctionResult): Offer | null {
  if (kind !== "scalar" || isSet) return null;
  const isBytes = type.category === "bytea";
  const body: BodyForm = { kind: "raw", encoding: isBytes ? "hex" : "text" };
  // A domain named like a media type (`create domain "text/html" as text`) sets the content type.
  const named = type.isDomain ? /"([^"]+)"$/.exec(type.name)?.[1]?.toLowerCase() : undefined;
  const own = named !== undefined && isMediaName(named) ? named : null;
  const isAny = own === ANY_MEDIA && !accepted.startsWith(VENDOR_PREFIX);
  if (own !== null && (isAny || accepts(accepted, own))) return { contentType: nameContent(accepted, own), body };
  switch (accepted) {
    case "text/plain":
    case "text/*":
      return isBytes ? null : { contentType: withCharset("text/plain"), body };
    case "text/xml":
      return type.category === "xml" ? { contentType: withCharset("text/xml"), body } : null;
    case "application/octet-stream":
      return isBytes || type.category === "text" ? { contentType: accepted, body } : null;
    default:
      return null;
  }
}

function accepts(accepted: string, media: string): boolean {
  if (accepted === "*/*" || accepted === media) return true;
  return accepted.endsWith("/*") && media.startsWith(accepted.slice(0, -1));
}

function withCharset(media: string): string {
  return media.startsWith("text/") || media.endsWith("json") ? media + CHARSET : media;
}

/** Rows are a list; a single or scalar result of a function is not wrapped in one. */
function listForm(result: FunctionResult | null, hasNulls: boolean): BodyForm {
  const isRows = result === null || (result.kind === "composite" && result.isSet);
  return isRows ? { kind: "array", hasNulls } : { kind: "value", hasNulls };
}

function singleForm(result: FunctionResult | null, hasNulls: boolean): BodyForm {
  return result === null || result.isSet ? { kind: "object", hasNulls } : { kind: "value", hasNulls };
}
