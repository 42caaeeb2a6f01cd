import type { FunctionResult } from "../catalogue/catalogue.ts";
import type { BodyForm } from "../plan/plan.ts";

export interface RawOffer {
  readonly contentType: string;
  readonly body: BodyForm;
}

/** A scalar function result without JSON; null when the media type does not support that. */
export function offerRaw(accepted: string, result: FunctionResult): RawOffer | null {
  if (result.kind !== "scalar" || result.isSet) return null;
  const isBytes = result.type.category === "bytea";
  const body: BodyForm = { kind: "raw", encoding: isBytes ? "hex" : "text" };
  const own = mediaOfDomain(result);
  if (own !== null && accepts(accepted, own)) return { contentType: withCharset(own), body };
  switch (accepted) {
    case "text/plain":
    case "text/*":
      return isBytes ? null : { contentType: withCharset("text/plain"), body };
    case "text/xml":
      return result.type.category === "xml" ? { contentType: withCharset("text/xml"), body } : null;
    case "application/octet-stream":
      return isBytes || result.type.category === "text" ? { contentType: accepted, body } : null;
    default:
      return null;
  }
}

/** A domain named like a media type (`create domain "text/html" as text`) sets the content type. */
function mediaOfDomain({ type }: FunctionResult): string | null {
  if (!type.isDomain) return null;
  return /"([a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*)"$/.exec(type.name)?.[1] ?? null;
}

function accepts(accepted: string, media: string): boolean {
  if (accepted === "*/*" || accepted === media) return true;
  return accepted.endsWith("/*") && media.startsWith(accepted.slice(0, -1));
}

function withCharset(media: string): string {
  return media.startsWith("text/") || media.endsWith("json") ? `${media}; charset=utf-8` : media;
}
