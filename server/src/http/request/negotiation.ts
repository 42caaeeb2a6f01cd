/** Whether `Accept-Encoding` permits a coding. */
export function acceptsCoding(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(",").some((offer) => {
    const [name = "", ...rest] = offer.split(";").map((word) => word.trim().toLowerCase());
    return name === coding && !rest.some((word) => /^q=0(?:\.0*)?$/.test(word));
  });
}

/** Whether `If-None-Match` names the tag. Compares weakly, as RFC 9110 requires for GET. */
export function matchesTag(ifNoneMatch: string, etag: string): boolean {
  const opaque = withoutWeakness(etag);
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || withoutWeakness(tag.trim()) === opaque);
}

function withoutWeakness(tag: string): string {
  return tag.replace(/^W\//, "");
}
