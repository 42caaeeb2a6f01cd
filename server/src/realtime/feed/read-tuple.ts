import type { Relation, Tuple } from "./row-change.ts";
import type { WireReader } from "./wire-reader.ts";

const NULL = 0x6e;
const UNCHANGED = 0x75;
const TEXT = 0x74;

/** A value that was stored apart and not written again is told by the old row, where the WAL has all of it. */
export function readTuple(reader: WireReader, old: Tuple | null = null): Tuple {
  const count = reader.int16();
  const values: (string | null | undefined)[] = [];
  for (let at = 0; at < count; at += 1) {
    const kind = reader.byte();
    switch (kind) {
      case NULL:
        values.push(null);
        break;
      case UNCHANGED:
        values.push(old?.[at]);
        break;
      case TEXT:
        values.push(reader.text(reader.int32()));
        break;
      default:
        throw new RangeError(`unknown kind of value in the replication stream: ${kind}`);
    }
  }
  return values;
}

/** The columns of the key alone: the others travel as nulls that mean nothing. */
export function readKey(reader: WireReader, relation: Relation): Tuple {
  return readTuple(reader).map((value, at) => (relation.columns[at]?.isKey === true ? value : undefined));
}
