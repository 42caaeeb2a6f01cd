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

export interface StreamHub {
  publish(event: RunEvent): void;
  /**
   * Calls the listener with every event that is published and not stored yet before it returns, then with each new one, in order of
   * seq. A reader that subscribes first and then reads the stored events misses none, and drops those it has by seq.
   */
  subscribe(runId: string, listener: (event: RunEvent) => void): () => void;
  /** Whether this process executes the run. */
  isHere(runId: string): boolean;
}

/** The methods of the stream hub for the executor. */
export interface OpenStreamHub extends StreamHub {
  open(runId: string): void;
  /** Everything up to this seq is stored. */
  settle(runId: string, seq: number): void;
  close(runId: string): void;
}

interface Channel {
  /** How often it is open: a run that was lost can come back while its first execution ends. */
  openCount: number;
  unstored: RunEvent[];
  readonly listeners: Set<(event: RunEvent) => void>;
}

export function createStreamHub(): OpenStreamHub {
  const channels = new Map<string, Channel>();
  const channelOf = (runId: string): Channel => {
    const known = channels.get(runId);
    if (known !== undefined) return known;
    const channel: Channel = { openCount: 0, unstored: [], listeners: new Set() };
    channels.set(runId, channel);
    return channel;
  };
  const dropIfIdle = (runId: string, channel: Channel): void => {
    if (channel.openCount === 0 && channel.listeners.size === 0) channels.delete(runId);
  };

  return {
    isHere: (runId) => (channels.get(runId)?.openCount ?? 0) > 0,
    open: (runId) => {
      const channel = channelOf(runId);
      channel.openCount += 1;
      channel.unstored = [];
    },
    publish: (event) => {
      const channel = channels.get(event.runId);
      if (channel === undefined) return;
      if (channel.openCount > 0) channel.unstored.push(event);
      for (const listener of channel.listeners) listener(event);
    },
    settle: (runId, seq) => {
      const channel = channels.get(runId);
      if (channel === undefined) return;
      const rest = channel.unstored.findIndex((event) => event.seq > seq);
      channel.unstored = rest === -1 ? [] : channel.unstored.slice(rest);
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
      if (channel.openCount === 0) channel.unstored = [];
      dropIfIdle(runId, channel);
    },
  };
}
