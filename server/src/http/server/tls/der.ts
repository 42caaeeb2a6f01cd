/** The few DER forms (ITU-T X.690) that an X.509 certificate needs. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const LONG_FORM = 0x80;
const CONSTRUCTED_CONTEXT = 0xa0;
const PRIMITIVE_CONTEXT = 0x80;

function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf(content: Uint8Array): Buffer {
  if (content.length < LONG_FORM) return Buffer.from([content.length]);
  const bytes = trimLeadingZeros(bigEndian(content.length));
  return Buffer.concat([Buffer.from([LONG_FORM | bytes.length]), bytes]);
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function trimLeadingZeros(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start === -1 ? Buffer.from([0]) : bytes.subarray(start);
}

export function sequence(...parts: Uint8Array[]): Buffer {
  return element(TAG.sequence, Buffer.concat(parts));
}

export function set(...parts: Uint8Array[]): Buffer {
  return element(TAG.set, Buffer.concat(parts));
}

export function encodeBoolean(value: boolean): Buffer {
  return element(TAG.boolean, Buffer.from([value ? 0xff : 0]));
}

/** A non-negative integer, given as big-endian bytes. */
export function encodeInteger(bytes: Uint8Array): Buffer {
  const trimmed = trimLeadingZeros(Buffer.from(bytes));
  const isReadAsNegative = (trimmed[0] ?? 0) >= 0x80;
  return element(TAG.integer, isReadAsNegative ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(TAG.octetString, bytes);
}

export function utf8String(text: string): Buffer {
  return element(TAG.utf8String, Buffer.from(text));
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(TAG.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** RFC 5280: two-digit years up to 2049, four digits after. */
export function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, "");
  return date.getUTCFullYear() < 2050
    ? element(TAG.utcTime, Buffer.from(text.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(text));
}

export function contextConstructed(number: number, ...parts: Uint8Array[]): Buffer {
  return element(CONSTRUCTED_CONTEXT | number, Buffer.concat(parts));
}

export function contextPrimitive(number: number, content: Uint8Array): Buffer {
  return element(PRIMITIVE_CONTEXT | number, content);
}
