const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** No control character but the tab, so above all no end of line. */
const VALUE = /^[\t\x20-\x7e\x80-\uffff]*$/;

/** Between us and the next hop, or ours to say: what the database sets for them is left out. */
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

/** Whether nothing in it can end the header or begin another. */
export function isHeader(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value);
}

/** In lower case. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name);
}

/** Header values travel as bytes, one character each. */
export function toHeaderBytes(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}
