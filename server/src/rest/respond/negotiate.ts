import type { FunctionResult } from "../catalogue/catalogue.ts";
import type { MediaType, ParsedRequest } from "../parse/parsed-request.ts";
import type { BodyForm } from "../plan/plan.ts";
import { restError } from "../rest-error.ts";
import { parseForMedia, readPlanOptions } from "./plan-media.ts";
import { offerRaw } from "./raw-media.ts";

export interface AnswerMedia {
  /** With charset where one belongs. */
  readonly contentType: string;
  /**
   * As the media type has it. `none` where no row is shown whatever happens (HEAD, OPTIONS, the root, void), but a single
   * object stays `object` even there, and for writes that show nothing, because it also says that there must be one row.
   */
  readonly body: BodyForm;
  readonly explain: null | { readonly format: "text" | "json"; readonly options: readonly string[] };
}

export interface MediaInput {
  readonly isPlanEnabled: boolean;
  /** Null for relations and the root. */
  readonly functionResult: FunctionResult | null;
}

interface Offer {
  readonly contentType: string;
  readonly body: BodyForm;
}

const CHARSET = "; charset=utf-8";
const JSON_TYPE = "application/json";
const OPENAPI_TYPE = "application/openapi+json";
const NO_BODY: BodyForm = { kind: "none" };
const ROOT_TYPES: ReadonlySet<string> = new Set([OPENAPI_TYPE, JSON_TYPE, "application/*", "*/*"]);
const OPENAPI: AnswerMedia = { contentType: OPENAPI_TYPE + CHARSET, body: NO_BODY, explain: null };
const NOTHING: AnswerMedia = { contentType: JSON_TYPE + CHARSET, body: NO_BODY, explain: null };

/** The first acceptable media type, best first, that the target supports. */
export function negotiate(request: ParsedRequest, input: MediaInput): AnswerMedia {
  if (request.method === "OPTIONS") return NOTHING;
  for (const accepted of request.accept) {
    const media = request.target.kind === "root" ? offerRoot(accepted) : offerMedia(accepted, input);
    if (media !== null) return isBodyless(request, input) ? withoutBody(media) : media;
  }
  const types = request.accept.map(({ type }) => type).join(", ");
  throw restError("PGRST107", `None of these media types are available: ${types}`);
}

function offerRoot({ type }: MediaType): AnswerMedia | null {
  return ROOT_TYPES.has(type) ? OPENAPI : null;
}

function offerMedia(accepted: MediaType, input: MediaInput): AnswerMedia | null {
  const plan = readPlanOptions(accepted);
  if (plan === null) {
    const offer = offerRows(accepted, input.functionResult);
    return offer === null ? null : { ...offer, explain: null };
  }
  const offer = input.isPlanEnabled ? offerRows(parseForMedia(accepted), input.functionResult) : null;
  if (offer === null) return null;
  const shown = offer.contentType.replace(CHARSET, "");
  const options = plan.options.length === 0 ? "" : `; options=${plan.options.join("|")}`;
  const contentType = `application/vnd.pgrst.plan+${plan.format}; for="${shown}"${options}${CHARSET}`;
  return { contentType, body: offer.body, explain: plan };
}

function offerRows({ type, parameters }: MediaType, result: FunctionResult | null): Offer | null {
  const raw = result === null ? null : offerRaw(type, result);
  if (raw !== null) return raw;
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

/** Rows are a list; a single or scalar result of a function is not wrapped in one. */
function listForm(result: FunctionResult | null, hasNulls: boolean): BodyForm {
  const isRows = result === null || (result.kind === "composite" && result.isSet);
  return isRows ? { kind: "array", hasNulls } : { kind: "value", hasNulls };
}

function singleForm(result: FunctionResult | null, hasNulls: boolean): BodyForm {
  return result === null || result.isSet ? { kind: "object", hasNulls } : { kind: "value", hasNulls };
}

function isBodyless({ method }: ParsedRequest, { functionResult }: MediaInput): boolean {
  return method === "HEAD" || functionResult?.kind === "void";
}

function withoutBody(media: AnswerMedia): AnswerMedia {
  return media.body.kind === "object" ? media : { ...media, body: NO_BODY };
}
