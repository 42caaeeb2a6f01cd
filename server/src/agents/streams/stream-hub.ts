/** One event of a run's stream. `seq` grows from event to event and may have gaps. */
export interface RunEvent {
  readonly runId: string;
  readonly seq: number;
  readonly type: string;
  readonly agentId: string | null;
  /** `data` has the input or output of a tool, which not every member of the swarm may see. */
  readonly isRestricted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event as it is stored. */
export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly agent_id: string | null;
  readonly restricted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StreamHub {
  publish(event: RunEvent): void;
  /**
   * Calls the listener with every event that is published and not stored yet before it returns, then with each new one, in order of
   * seq. A reader that subscribes first and then reads the stored events misses none, and drops those it has by seq.
   */
  subscribe(runId: string, listener: (event: RunEvent) => void): () => void;
  /** Whether this process executes the run. */
  isHere(runId: string): boolean;
  /** How often this process has begun to execute the run, while it has listeners or is executed here. */
  countOpenings(runId: string): number;
  /** The last event that this process has published and stored. 0: none, or another process may execute the run. */
  lastStoredSeq(runId: string): number;
}

/** The methods of the stream hub for the executor. */
export interface OpenStreamHub extends StreamHub {
  open(runId: string): void;
  /** Everything up to this seq is stored. */
  markStored(runId: string, seq: number): void;
  close(runId: string): void;
}

interface Channel {
  /** How often it is open: a run that was lost can come back while its first execution ends. */
  openCount: number;
  openings: number;
  unstored: RunEvent[];
  storedSeq: number;
  readonly listeners: Set<(event: RunEvent) => void>;
}

function forget(channel: Channel): void {
  channel.unstored = [];
  channel.storedSeq = 0;
}

export function createStreamHub(): OpenStreamHub {
  const channels = new Map<string, Channel>();
  const channelOf = (runId: string): Channel => {
    const known = channels.get(runId);
    if (known !== undefined) return known;
    const channel: Channel = { openCount: 0, openings: 0, unstored: [], storedSeq: 0, listeners: new Set() };
    channels.set(runId, channel);
    return channel;
  };
  const dropIfIdle = (runId: string, channel: Channel): void => {
    if (channel.openCount === 0 && channel.listeners.size === 0) channels.delete(runId);
  };

  return {
    isHere: (runId) => (channels.get(runId)?.openCount ?? 0) > 0,
    countOpenings: (runId) => channels.get(runId)?.openings ?? 0,
    lastStoredSeq: (runId) => channels.get(runId)?.storedSeq ?? 0,
    open: (runId) => {
      const channel = channelOf(runId);
      channel.openCount += 1;
      channel.openings += 1;
      forget(channel);
    },
    publish: (event) => {
      const channel = channels.get(event.runId);
      if (channel === undefined) return;
      if (channel.openCount > 0) channel.unstored.push(event);
      for (const listener of channel.listeners) listener(event);
    },
    markStored: (runId, seq) => {
      const channel = channels.get(runId);
      if (channel === undefined) return;
      const rest = channel.unstored.findIndex((event) => event.seq > seq);
      const stored = channel.unstored.splice(0, rest === -1 ? channel.unstored.length : rest);
      channel.storedSeq = stored.at(-1)?.seq ?? channel.storedSeq;
    },
    subscribe: (runId, listener) => {
      const channel = channelOf(runId);
      channel.listeners.add(listener);
      for (const event of channel.unstored) listener(event);
      return () => {
        channel.listeners.delete(listener);
        dropIfIdle(runId, channel);
      };
    },
    close: (runId) => {
      const channel = channels.get(runId);
      if (channel === undefined) return;
      channel.openCount = Math.max(0, channel.openCount - 1);
      if (channel.openCount === 0) forget(channel);
      dropIfIdle(runId, channel);
    },
  };
}
