import type { FeedMessage, ReplicatedRelation, RowChange, Transaction, Tuple } from "./row-change.ts";
import { WireReader } from "./wire-reader.ts";

export interface TransactionReaderOptions {
  /** Whether changes of this table are needed; others are not decoded. */
  isWanted(relation: ReplicatedRelation): boolean;
  onRelation(relation: ReplicatedRelation): void;
  onTransaction(transaction: Transaction): void;
  /** A larger transaction, counted over subscribed tables, is handed over in parts. */
  readonly maxPartBytes: number;
}

const POSTGRES_EPOCH_MS = 946_684_800_000n;
const code = (letter: string): number => letter.charCodeAt(0);
const [BEGIN, COMMIT, RELATION, TYPE, ORIGIN] = [code("B"), code("C"), code("R"), code("Y"), code("O")];
const [INSERT, UPDATE, DELETE, TRUNCATE, MESSAGE] = [code("I"), code("U"), code("D"), code("T"), code("M")];
const [KEY, OLD] = [code("K"), code("O")];
const [NULL, UNCHANGED, TEXT] = [code("n"), code("u"), code("t")];

/**
 * Assembles pgoutput messages into transactions in commit order. The server sends a transaction only after its commit, so its
 * parts can be handed over before it has arrived completely.
 *
 * between: after a commit. open: from the beginning of a transaction to its commit. Row changes arrive only while one is open, and
 * each transaction was committed after the one before. A stream that breaks this is ended by an error, because changes would be lost
 * or delivered twice.
 */
export class TransactionReader {
  readonly #options: TransactionReaderOptions;
  readonly #relations = new Map<number, ReplicatedRelation>();
  #changes: RowChange[] = [];
  #messages: FeedMessage[] = [];
  #truncated: ReplicatedRelation[] = [];
  #bytes = 0;
  #isOpen = false;
  #xid = 0;
  /** The position in the WAL at which the last transaction was committed. */
  #commitLsn = 0n;
  /** In microseconds since the epoch of PostgreSQL. */
  #committedAt = 0n;
  #hasParts = false;

  constructor(options: TransactionReaderOptions) {
    this.#options = options;
  }

  read(message: Buffer): void {
    const reader = new WireReader(message);
    const tag = reader.byte();
    switch (tag) {
      case BEGIN:
        return this.#begin(reader);
      case COMMIT:
        return this.#commit();
      case RELATION:
        return this.#relation(reader);
      case INSERT:
      case UPDATE:
      case DELETE:
        this.#change(tag, reader, message.length);
        return this.#endPart();
      case TRUNCATE:
        return this.#truncate(reader);
      case MESSAGE:
        this.#message(reader, message.length);
        return this.#endPart();
      case TYPE:
      case ORIGIN:
        return;
      default:
        throw new RangeError(`unknown message in the replication stream: ${tag}`);
    }
  }

  #begin(reader: WireReader): void {
    const commitLsn = reader.int64();
    if (this.#isOpen || commitLsn <= this.#commitLsn)
      throw new RangeError(`the replication stream has a transaction at ${commitLsn} after ${this.#commitLsn}`);
    [this.#isOpen, this.#commitLsn] = [true, commitLsn];
    this.#committedAt = reader.int64();
    this.#xid = reader.uint32();
  }

  #commit(): void {
    if (!this.#isOpen) throw new RangeError("the replication stream has a commit without a transaction");
    this.#isOpen = false;
    this.#emit(true);
  }

  #emit(isLastPart: boolean): void {
    const [changes, messages, truncated, bytes] = [this.#changes, this.#messages, this.#truncated, this.#bytes];
    [this.#changes, this.#messages, this.#truncated, this.#bytes] = [[], [], [], 0];
    const isFirstPart = !this.#hasParts;
    this.#hasParts = !isLastPart;
    if (isFirstPart && isLastPart && changes.length + messages.length + truncated.length === 0) return;
    const { onTransaction } = this.#options;
    const xid = this.#xid;
    // Most transactions change nothing that anybody follows, and end above.
    const commitTimestamp = toTimestamp(this.#committedAt);
    onTransaction({ xid, isFirstPart, isLastPart, commitTimestamp, changes, messages, truncated, bytes });
  }

  #relation(reader: WireReader): void {
    const oid = reader.uint32();
    const schema = reader.name();
    const name = reader.name();
    const isIdentityFull = reader.byte() === code("f");
    const columns = Array.from({ length: reader.int16() }, () => {
      const isKey = (reader.byte() & 1) === 1;
      const column = { name: reader.name(), typeOid: reader.uint32(), isKey };
      reader.int32();
      return column;
    });
    const relation = { oid, schema, name, isIdentityFull, columns };
    this.#relations.set(oid, relation);
    this.#options.onRelation(relation);
  }

  #change(tag: number, reader: WireReader, length: number): void {
    const relation = this.#find(reader.uint32());
    if (!this.#options.isWanted(relation)) return;
    this.#bytes += length;
    if (tag === INSERT) {
      reader.byte();
      this.#changes.push({ relation, type: "INSERT", record: readTuple(reader), oldRecord: null });
      return;
    }
    const part = reader.byte();
    const oldRecord = readOld(part, reader, relation);
    if (tag === DELETE) {
      this.#changes.push({ relation, type: "DELETE", record: null, oldRecord });
      return;
    }
    if (oldRecord !== null) reader.byte();
    this.#changes.push({ relation, type: "UPDATE", record: readTuple(reader, oldRecord), oldRecord });
  }

  #truncate(reader: WireReader): void {
    const count = reader.int32();
    reader.byte();
    for (let index = 0; index < count; index += 1) this.#truncated.push(this.#find(reader.uint32()));
  }

  #message(reader: WireReader, length: number): void {
    // The service sends no others: one would have an effect although its transaction was rolled back or read-only.
    const isTransactional = (reader.byte() & 1) === 1;
    if (!isTransactional) return;
    reader.int64();
    const prefix = reader.name();
    this.#bytes += length;
    this.#messages.push({ prefix, content: reader.bytes(reader.int32()) });
  }

  #endPart(): void {
    if (this.#isOpen && this.#bytes > this.#options.maxPartBytes) this.#emit(false);
  }

  #find(oid: number): ReplicatedRelation {
    const relation = this.#relations.get(oid);
    if (relation === undefined) throw new RangeError(`the replication stream did not describe the table ${oid}`);
    return relation;
  }
}

/** Of a key, reads the key columns only: the other columns are sent as meaningless nulls. */
function readOld(part: number, reader: WireReader, { columns }: ReplicatedRelation): Tuple | null {
  if (part === KEY)
    return readTuple(reader).map((value, index) => (columns[index]?.isKey === true ? value : undefined));
  return part === OLD ? readTuple(reader) : null;
}

/** Takes an unchanged TOAST value from the old row when the WAL contains the full old row. */
function readTuple(reader: WireReader, old: Tuple | null = null): Tuple {
  const count = reader.int16();
  const values: (string | null | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const kind = reader.byte();
    if (kind === TEXT) values.push(reader.text(reader.int32()));
    else if (kind === NULL) values.push(null);
    else if (kind === UNCHANGED) values.push(old?.[index]);
    else throw new RangeError(`unknown kind of value in the replication stream: ${kind}`);
  }
  return values;
}

function toTimestamp(microseconds: bigint): string {
  return new Date(Number(microseconds / 1000n + POSTGRES_EPOCH_MS)).toISOString();
}
