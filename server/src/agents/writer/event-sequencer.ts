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
}

/**
 * Numbers the events of a run and publishes them in that order: events after a block wait until the statement of the block has
 * been committed. Deltas with no block before them are published at once. They are stored later, many in one row.
 *
 * No seq is published that is more than a limit above the last one that is safely stored. A node that continues the run of a lost
 * one begins above that limit, so no seq is used twice.
 */
export interface EventSequencer {
  delta(type: DeltaType, source: DeltaSource, text: string): void;
  reserve(count: number): Block;
  fill(block: Block, events: readonly EventRow[]): void;
  /** Removes and returns the deltas that are not stored yet, as rows. */
  takeUnstored(): EventRow[];
  readonly unstoredChars: number;
  /** The seq of the last event. */
  readonly lastSeq: number;
  /** So much is not safely stored that the next rows have to survive a crash of the database. */
  readonly needsDurable: boolean;
  /** The rows taken last are stored. `isDurable`: they survive a crash of the database. */
  markStored(isDurable: boolean): void;
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

export function createEventSequencer(
  streamHub: OpenStreamHub,
  { run, lastSeq, maxUnstoredSeqs }: SequencerOptions,
): EventSequencer {
  let nextSeq = lastSeq + 1;
  let durableSeq = lastSeq;
  // Half, because the last stored seq can be lower than the last one that was reserved.
  const maxShown = Math.floor(maxUnstoredSeqs / 2);
  let rows: OpenRow[] = [];
  let unstoredChars = 0;
  const blocks = new Set<Block>();
  let held: RunEvent[] = [];

  const toEvent = (row: EventRow): RunEvent => ({
    runId: run.id,
    seq: row.seq,
    type: row.type,
    agentId: row.agent_id,
    isRestricted: row.restricted,
    data: row.data,
  });
  const firstBlocked = (): number => {
    let first = durableSeq + maxShown + 1;
    for (const block of blocks) first = Math.min(first, block.seq);
    return first;
  };
  const release = (): void => {
    const limit = firstBlocked();
    const due = held.filter((event) => event.seq < limit).sort((one, other) => one.seq - other.seq);
    if (due.length === 0) return;
    held = held.filter((event) => event.seq >= limit);
    for (const event of due) streamHub.publish(event);
  };

  return {
    delta(type, source, text) {
      const seq = nextSeq++;
      const { turnId, messageId, agentId } = source;
      const event: RunEvent = {
        runId: run.id,
        seq,
        type,
        agentId,
        isRestricted: isReasoning(type),
        data: { run_id: run.id, swarm_id: run.swarmId, turn_id: turnId, message_id: messageId, delta: text },
      };
      if (blocks.size === 0 && seq <= durableSeq + maxShown) streamHub.publish(event);
      else held.push(event);
      const last = rows.at(-1);
      unstoredChars += text.length;
      // A row stores only its first and last seq, so its seqs must be consecutive.
      if (last?.source === source && last.type === type && last.firstSeq + last.deltas.length === seq)
        last.deltas.push(text);
      else rows.push({ type, source, firstSeq: seq, deltas: [text] });
    },
    reserve(count) {
      const block = { seq: nextSeq };
      nextSeq += count;
      if (count > 0) blocks.add(block);
      return block;
    },
    fill(block, events) {
      blocks.delete(block);
      held.push(...events.map(toEvent));
      release();
    },
    takeUnstored() {
      const taken = rows.map(({ type, source, firstSeq, deltas }) => ({
        seq: firstSeq + deltas.length - 1,
        type,
        agent_id: source.agentId,
        restricted: isReasoning(type),
        data: {
          run_id: run.id,
          swarm_id: run.swarmId,
          turn_id: source.turnId,
          message_id: source.messageId,
          first_seq: firstSeq,
          deltas,
        },
      }));
      rows = [];
      unstoredChars = 0;
      return taken;
    },
    get unstoredChars() {
      return unstoredChars;
    },
    get lastSeq() {
      return nextSeq - 1;
    },
    get needsDurable() {
      return nextSeq - durableSeq > maxShown / 2;
    },
    markStored(isDurable) {
      const storedSeq = (rows[0]?.firstSeq ?? nextSeq) - 1;
      streamHub.markStored(run.id, storedSeq);
      if (!isDurable) return;
      durableSeq = storedSeq;
      release();
    },
  };
}
