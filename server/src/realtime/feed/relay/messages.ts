const LENGTH_BYTES = 4;

/** Each message behind its length. */
export function joinMessages(messages: readonly Buffer[]): Buffer {
  const size = messages.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0);
  const joined = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const message of messages) {
    offset = joined.writeUInt32BE(message.length, offset);
    offset += message.copy(joined, offset);
  }
  return joined;
}

export function* splitMessages(joined: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < joined.length; ) {
    const start = offset + LENGTH_BYTES;
    offset = start + joined.readUInt32BE(offset);
    yield joined.subarray(start, offset);
  }
}
