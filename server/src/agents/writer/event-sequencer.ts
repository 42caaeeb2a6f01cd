import type { EventRow, OpenStreamHub, RunEvent } from "../streams/stream-hub.ts";

export type DeltaType = "message.delta" | "reasoning.delta";

/** Reasoning may quote the agent's prompt, which only its owner may see. */
function isReasoning(type: DeltaType): boolean {
  return type === "reasoning.delta";
}

export interface DeltaSource {
  readonly turnId: string;
  readonly messageId: string;
  readonly agentId: string;
}

/** A range of seqs that is reserved for the events of a statement in progress. */
export interface Block {
  readonly seq: number;
  readonly count: number;
}

interface OpenRow {
  readonly type: DeltaType;
  readonly source: DeltaSource;
  readonly firstSeq: number;
  readonly deltas: string[];
}

interface SequencerOptions {
  readonly run: { readonly id: string; readonly swarmId: string };
  readonly lastSeq: number;
  readonly maxUnstoredSeqs: number;
}

/**
 * Numbers the events of a run and publishes them in that order.
 *
 * A seq is taken by a delta, or by a block of the events of a statement. Its event goes through these states:
 *
 * reserved: `reserve` has taken the block, whose statement is in progress. `fill` ends it, with at most as many events as the block
 *   has seqs; the other seqs are never used. Until then nothing after the block is published, so every block must be filled.
 * held: the event is known, but a block before it is not filled, or too much before it is not safely stored.
 * published: readers of this node have it. Most deltas are published at once. An event is never published twice, and never after one
 *   with a higher seq.
 *
 * Deltas are stored later than they are published, many in one row: unstored until `takeUnstored`, then in the hands of the caller,
 * who calls `markStored`, or sends the same rows again. The events of a block are stored when it is filled.
 *
 * No seq is published that is more than a limit above the last one that is safely stored, which only grows. A node that continues the
 * run of a lost one begins above that limit, so no seq is used twice. What a lost node has published and not stored is missing then.
 */
export class EventSequencer {
  readonly #streamHub: OpenStreamHub;
  readonly #run: SequencerOptions["run"];
  /** How far seqs are published above the last durable one. */
  readonly #maxShown: number;
  readonly #blocks = new Set<Block>();
  #held: RunEvent[] = [];
  #rows: OpenRow[] = [];
  #unstoredChars = 0;
  #nextSeq: number;
  #publishedSeq: number;
  #durableSeq: number;

  constructor(streamHub: OpenStreamHub, { run, lastSeq, maxUnstoredSeqs }: SequencerOptions) {
    this.#streamHub = streamHub;
    this.#run = run;
    // Half, because the last stored seq can be lower than the last one that was reserved.
    this.#maxShown = Math.floor(maxUnstoredSeqs / 2);
    this.#nextSeq = lastSeq + 1;
    this.#publishedSeq = lastSeq;
    this.#durableSeq = lastSeq;
  }

  get unstoredChars(): number {
    return this.#unstoredChars;
  }

  /** The seq of the last event. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** So much is not safely stored that the next rows have to survive a crash of the database. */
  get needsDurable(): boolean {
    return this.#nextSeq - this.#durableSeq > this.#maxShown / 2;
  }

  delta(type: DeltaType, source: DeltaSource, text: string): void {
    const seq = this.#nextSeq++;
    this.#addToRows(type, source, text, seq);
    const { turnId, messageId, agentId } = source;
    const event: RunEvent = {
      runId: this.#run.id,
      seq,
      type,
      agentId,
      isRestricted: isReasoning(type),
      data: { run_id: this.#run.id, swarm_id: this.#run.swarmId, turn_id: turnId, message_id: messageId, delta: text },
    };
    if (this.#blocks.size === 0 && seq <= this.#durableSeq + this.#maxShown) this.#publish(event);
    else this.#held.push(event);
  }

  reserve(count: number): Block {
    const block = { seq: this.#nextSeq, count };
    this.#nextSeq += count;
    if (count > 0) this.#blocks.add(block);
    return block;
  }

  /** Throws when the events are not those of the block. Then nothing after it is published, because the order would be wrong. */
  fill(block: Block, events: readonly EventRow[]): void {
    const { seq: first, count } = block;
    const foreign = events.find(({ seq }) => seq < first || seq >= first + count);
    if (foreign !== undefined) throw new Error(`the event ${foreign.seq} is not in the block ${first} of ${count}`);
    if (count > 0 && !this.#blocks.delete(block)) throw new Error(`the block ${first} was filled before`);
    this.#held.push(...events.map((event) => this.#toEvent(event)));
    this.#release();
  }

  /** Removes and returns the deltas that are not stored yet, as rows. */
  takeUnstored(): EventRow[] {
    const taken = this.#rows.map((row) => this.#toRow(row));
    this.#rows = [];
    this.#unstoredChars = 0;
    return taken;
  }

  /** The rows taken last are stored. `isDurable`: they survive a crash of the database. */
  markStored(isDurable: boolean): void {
    const storedSeq = (this.#rows[0]?.firstSeq ?? this.#nextSeq) - 1;
    this.#streamHub.markStored(this.#run.id, storedSeq);
    if (!isDurable) return;
    this.#durableSeq = storedSeq;
    this.#release();
  }

  /** A row stores only its first and last seq, so its seqs must be consecutive. */
  #addToRows(type: DeltaType, source: DeltaSource, text: string, seq: number): void {
    const last = this.#rows.at(-1);
    this.#unstoredChars += text.length;
    if (last?.source === source && last.type === type && last.firstSeq + last.deltas.length === seq)
      last.deltas.push(text);
    else this.#rows.push({ type, source, firstSeq: seq, deltas: [text] });
  }

  /** Publishes what neither a block nor the limit holds any longer. */
  #release(): void {
    let limit = this.#durableSeq + this.#maxShown + 1;
    for (const block of this.#blocks) limit = Math.min(limit, block.seq);
    const due = this.#held.filter((event) => event.seq < limit).sort((one, other) => one.seq - other.seq);
    if (due.length === 0) return;
    this.#held = this.#held.filter((event) => event.seq >= limit);
    for (const event of due) this.#publish(event);
  }

  #publish(event: RunEvent): void {
    if (event.seq <= this.#publishedSeq)
      throw new Error(`the event ${event.seq} would be published after ${this.#publishedSeq}`);
    this.#publishedSeq = event.seq;
    this.#streamHub.publish(event);
  }

  #toEvent(row: EventRow): RunEvent {
    return {
      runId: this.#run.id,
      seq: row.seq,
      type: row.type,
      agentId: row.agent_id,
      isRestricted: row.restricted,
      data: row.data,
    };
  }

  #toRow({ type, source, firstSeq, deltas }: OpenRow): EventRow {
    return {
      seq: firstSeq + deltas.length - 1,
      type,
      agent_id: source.agentId,
      restricted: isReasoning(type),
      data: {
        run_id: this.#run.id,
        swarm_id: this.#run.swarmId,
        turn_id: source.turnId,
        message_id: source.messageId,
        first_seq: firstSeq,
        deltas,
      },
    };
  }
}
