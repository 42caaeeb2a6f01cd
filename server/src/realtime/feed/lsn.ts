/** A place in the WAL. */
export type Lsn = bigint;

const TAG = "r".charCodeAt(0);

/** Tells the server how far this node has come, so that it need not keep what lies before. */
export function buildStatus(lsn: Lsn, wantsReply: boolean): Buffer {
  const status = Buffer.alloc(34);
  status.writeUInt8(TAG, 0);
  for (const at of [1, 9, 17]) status.writeBigInt64BE(lsn, at);
  // The server only repeats our clock to those who look at its statistics.
  status.writeBigInt64BE(0n, 25);
  status.writeUInt8(wantsReply ? 1 : 0, 33);
  return status;
}
