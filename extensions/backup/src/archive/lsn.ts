/** A position in the WAL, as PostgreSQL writes it: `1/6B374D8`. */
export function parseLsn(text: string): bigint {
  const match = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text);
  if (match === null) throw new RangeError("not a position in the WAL");
  return (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`);
}

export function renderLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffff_ffffn).toString(16)}`.toUpperCase();
}

/** The name of the file of `pg_wal` that has this position. */
export function segmentName(timeline: number, lsn: bigint, segmentBytes: bigint): string {
  const perLog = 0x1_0000_0000n / segmentBytes;
  const number = lsn / segmentBytes;
  const parts = [BigInt(timeline), number / perLog, number % perLog];
  return parts.map((part) => part.toString(16).toUpperCase().padStart(8, "0")).join("");
}

export function segmentStart(lsn: bigint, segmentBytes: bigint): bigint {
  return lsn - (lsn % segmentBytes);
}
