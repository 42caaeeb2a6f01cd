/** A broadcast to the other nodes. */
export interface RelayRecord {
  readonly hubKey: string;
  readonly event: string;
  readonly isBinary: boolean;
  /** JSON text of an object. */
  readonly meta: string | null;
  /** JSON text, unless it is binary. */
  readonly payload: Buffer;
}

const LENGTH_BYTES = 4;

type Head = [node: string, hubKey: string, event: string, isBinary: boolean, meta: string | null];

/** The length of the head, the head as JSON, the payload unchanged. */
export function encodeRecord(node: string, { hubKey, event, isBinary, meta, payload }: RelayRecord): Buffer {
  const head = Buffer.from(JSON.stringify([node, hubKey, event, isBinary, meta]));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, payload]);
}

/** Null for an invalid record: any SQL session can write messages into the WAL. */
export function decodeRecord(content: Buffer): { node: string; record: RelayRecord } | null {
  try {
    const end = LENGTH_BYTES + content.readUInt32BE(0);
    const head = JSON.parse(content.toString("utf8", LENGTH_BYTES, end)) as Head;
    const [node, hubKey, event, isBinary, meta] = head;
    return { node, record: { hubKey, event, isBinary, meta, payload: content.subarray(end) } };
  } catch {
    return null;
  }
}
