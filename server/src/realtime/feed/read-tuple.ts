import type { Relation, Tuple } from "./row-change.ts";
import type { WireReader } from "./wire-reader.ts";

const NULL = 0x6e;
const UNCHANGED = 0x75;
const TEXT = 0x74;

/** Takes an unchanged TOAST value from the old row when the WAL contains the full old row. */
export function readTuple(reader: WireReader, old: Tuple | null = null): Tuple {
  const count = reader.int16();
  const values: (string | null | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const kind = reader.byte();
    switch (kind) {
      case NULL:
        values.push(null);
        break;
      case UNCHANGED:
        values.push(old?.[index]);
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

/** Reads the key columns only: the other columns are sent as meaningless nulls. */
export function readKey(reader: WireReader, relation: Relation): Tuple {
  return readTuple(reader).map((value, index) => (relation.columns[index]?.isKey === true ? value : undefined));
}
