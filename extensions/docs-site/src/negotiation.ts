import type { SiteFile } from "./site-file.ts";

/** The body in the smallest form that the client accepts. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  { body, compressed }: SiteFile,
): { readonly encoding: string | null; readonly body: Buffer } {
  for (const [encoding, bytes] of Object.entries(compressed)) {
    if (accepts(acceptEncoding ?? "", encoding)) return { encoding, body: bytes };
  }
  return { encoding: null, body };
}

function accepts(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(",").some((offer) => {
    const [name = "", ...parameters] = offer.split(";").map((word) => word.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Compares weakly, as RFC 9110 requires for GET. */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? "").split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
