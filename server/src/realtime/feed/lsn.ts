/** A position in the WAL. */
export type Lsn = bigint;

const TAG = "r".charCodeAt(0);

/** A standby status update: the server may discard WAL before this position. */
export function buildStatus(lsn: Lsn, wantsReply: boolean): Buffer {
  const status = Buffer.alloc(34);
  status.writeUInt8(TAG, 0);
  for (const offset of [1, 9, 17]) status.writeBigInt64BE(lsn, offset);
  // The server uses the client time for its statistics only.
  status.writeBigInt64BE(0n, 25);
  status.writeUInt8(wantsReply ? 1 : 0, 33);
  return status;
}
