import { type Fault, fault, type Row, type Value } from "../fields/field.ts";

const MAX_HEADERS = 20;
const MAX_VALUE_BYTES = 4096;
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** Set by the service, or hop-by-hop. */
const MANAGED =
  /^(host|connection|keep-alive|expect|te|trailer|transfer-encoding|upgrade|via|http2-settings|accept-encoding|user-agent|content-.*|proxy-.*|x-service-.*|webhook-.*)$/i;
const VALUE = /^[\t\x20-\x7e]*$/;

export function checkDeliveryHeaders(headers: Row): readonly Fault[] {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return fault(`must have at most ${MAX_HEADERS} entries`);
  const seen = new Set<string>();
  return entries.flatMap(([name, value]) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const message = isRepeated ? "is given twice" : findHeaderFault(name, value);
    return message === null ? [] : [{ path: name, message, code: null }];
  });
}

function findHeaderFault(name: string, value: Value): string | null {
  if (!NAME.test(name)) return "is not the name of a header";
  if (MANAGED.test(name)) return "is set by the service";
  if (typeof value !== "string") return "must be a string";
  if (!VALUE.test(value)) return "must be printable ASCII";
  return value.length <= MAX_VALUE_BYTES ? null : `must have at most ${MAX_VALUE_BYTES} characters`;
}
