import { restError } from "../rest-error.ts";
import { parseMediaType } from "./media-type.ts";
import type { RequestInput } from "./parse-request.ts";

const FORM = "application/x-www-form-urlencoded";

/**
 * A read whose filters are too long for an address: `POST` with `X-HTTP-Method-Override: GET`, the query as a form in the
 * body. The query of the URL comes before it.
 */
export function readMethodOverride(input: RequestInput): RequestInput {
  const override = input.headers["x-http-method-override"];
  if (override === undefined || input.method !== "POST") return input;
  if (override !== "GET" && override !== "HEAD") {
    throw restError("PGRST117", "X-HTTP-Method-Override can be GET or HEAD", { headers: { allow: "GET, HEAD" } });
  }
  const { body, contentType, search } = input;
  const hasBody = body !== null && body.length > 0;
  if (hasBody && parseMediaType(contentType ?? "").type !== FORM) {
    throw restError("PGRST102", `A read that is sent by POST has its query in the body, as ${FORM}`);
  }
  const own = search.replace(/^\?/, "");
  const sent = hasBody ? body.toString("latin1") : "";
  return {
    ...input,
    method: override,
    search: own === "" || sent === "" ? own + sent : `${own}&${sent}`,
    body: null,
    contentType: null,
  };
}
