/** The fields of a message of OTLP that tests read: number to name and kind. */
interface Schema {
  readonly [field: number]: readonly [name: string, kind: Kind | Schema];
}

/** A schema stands for a list of messages. */
type Kind = "text" | "hex" | "varint" | "fixed64" | "double" | "doubles" | "fixed64s";

export type Message = Readonly<Record<string, unknown>>;

const ANY_VALUE: Schema = {
  1: ["stringValue", "text"],
  2: ["boolValue", "varint"],
  3: ["intValue", "varint"],
  4: ["doubleValue", "double"],
};
const KEY_VALUE: Schema = { 1: ["key", "text"], 2: ["value", ANY_VALUE] };
const RESOURCE: Schema = { 1: ["attributes", KEY_VALUE] };
const SCOPE: Schema = { 1: ["name", "text"], 2: ["version", "text"] };
const SPAN: Schema = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", "varint"],
  7: ["startTimeUnixNano", "fixed64"],
  8: ["endTimeUnixNano", "fixed64"],
  9: ["attributes", KEY_VALUE],
  15: ["status", { 3: ["code", "varint"] }],
};
const POINT: Schema = { 4: ["asDouble", "double"], 6: ["asInt", "fixed64"], 7: ["attributes", KEY_VALUE] };
const HISTOGRAM_POINT: Schema = {
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["bucketCounts", "fixed64s"],
  7: ["explicitBounds", "doubles"],
  9: ["attributes", KEY_VALUE],
};
const METRIC: Schema = {
  1: ["name", "text"],
  2: ["description", "text"],
  3: ["unit", "text"],
  5: ["gauge", { 1: ["dataPoints", POINT] }],
  7: ["sum", { 1: ["dataPoints", POINT], 2: ["aggregationTemporality", "varint"], 3: ["isMonotonic", "varint"] }],
  9: ["histogram", { 1: ["dataPoints", HISTOGRAM_POINT], 2: ["aggregationTemporality", "varint"] }],
};

export const TRACES: Schema = {
  1: ["resourceSpans", { 1: ["resource", RESOURCE], 2: ["scopeSpans", { 1: ["scope", SCOPE], 2: ["spans", SPAN] }] }],
};
export const METRICS: Schema = {
  1: [
    "resourceMetrics",
    { 1: ["resource", RESOURCE], 2: ["scopeMetrics", { 1: ["scope", SCOPE], 2: ["metrics", METRIC] }] },
  ],
};

/** Decodes the wire format of protocol buffers. Every field is a list, because any field can be repeated. */
export function decode(bytes: Buffer, schema: Schema): Message {
  const message: Record<string, unknown[]> = {};
  let at = 0;
  const readVarint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("a message ends within a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error("a message ends within a field");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const [name, kind] = schema[tag >>> 3] ?? [null, "hex" as const];
    const wireType = tag & 7;
    const raw =
      wireType === 0 ? readVarint() : wireType === 1 ? take(8) : wireType === 5 ? take(4) : take(readVarint());
    if (name !== null) (message[name] ??= []).push(typeof raw === "number" ? raw : readBytes(raw, kind));
  }
  return message;
}

function readBytes(raw: Buffer, kind: Kind | Schema): unknown {
  const eights = (read: (at: number) => number): number[] =>
    Array.from({ length: raw.length / 8 }, (_, index) => read(index * 8));
  if (typeof kind === "object") return decode(raw, kind);
  if (kind === "text") return raw.toString("utf8");
  if (kind === "hex") return raw.toString("hex");
  if (kind === "double") return raw.readDoubleLE(0);
  if (kind === "doubles") return eights((at) => raw.readDoubleLE(at));
  if (kind === "fixed64s") return eights((at) => Number(raw.readBigUInt64LE(at)));
  return Number(raw.readBigUInt64LE(0));
}
