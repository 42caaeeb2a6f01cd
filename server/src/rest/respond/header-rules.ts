const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** No control characters except the tab. */
const VALUE = /^[\t\x20-\x7e\x80-\uffff]*$/;

/** Hop-by-hop headers and headers of the service, which the database cannot set. */
const RESERVED: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

/** Whether name and value are valid and cannot inject another header. */
export function isHeader(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value);
}

/** In lower case. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name);
}

/** Node writes header values as Latin-1. */
export function toHeaderBytes(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}
