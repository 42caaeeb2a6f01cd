import type { AppError } from "../../errors/index.ts";
import { restError } from "../rest-error.ts";
import { BOUNDS } from "./bounds.ts";
import { decodeFormText, undecodableError } from "./decode-text.ts";
import type { ArgumentPair } from "./parsed-request.ts";

/** The parameters of a query string, decoded and in order. Those without `=` are ignored. */
export function parseQueryPairs(search: string): ArgumentPair[] {
  const text = search.startsWith("?") ? search.slice(1) : search;
  if (text.length > BOUNDS.queryLength) throw excessError(`it is longer than ${BOUNDS.queryLength} characters`);
  const pairs: ArgumentPair[] = [];
  for (const part of text.split("&")) {
    const equals = part.indexOf("=");
    if (equals === -1) continue;
    const name = decodeFormText(part.slice(0, equals));
    const value = decodeFormText(part.slice(equals + 1));
    if (name === null || value === null) throw undecodableError("query string");
    pairs.push([name, value]);
    if (pairs.length > BOUNDS.parameters) throw excessError(`it has more than ${BOUNDS.parameters} parameters`);
  }
  return pairs;
}

/** For a query string that is well-formed but exceeds a bound. */
export function excessError(details: string): AppError {
  return restError("PGRST100", '"failed to parse query string" (line 1, column 1)', { details });
}
