import type { SupabaseClient } from "@supabase/supabase-js";
import { createRandomId, type Database, invokeFunction, isFinalRunStatus, type Message, signal } from "@swarmbase/sdk";
import { insertMessage } from "./insert-message.ts";
import { type LiveChannels, openLiveChannels } from "./live-channels.ts";
import {
  extendKnown,
  type KnownUntil,
  NOTHING_KNOWN,
  readMessage,
  readMissed,
  readPage,
  readUnfinishedRuns,
} from "./read-swarm.ts";
import { RunStreams } from "./run-streams.ts";
import { composeMessages, mergeRows, type OutgoingMessage } from "./swarm-message.ts";
import {
  type Approval,
  type Decision,
  describeRuns,
  INITIAL_STATE,
  keyOfWait,
  type SendOptions,
  type SwarmActions,
  type SwarmState,
} from "./swarm-state.ts";
import { toError } from "./to-error.ts";

export interface StoreOptions {
  /** Show the user as present, and who else is. */
  readonly presence: boolean;
  readonly includeReasoning: boolean;
}

/** Pieces of text arrive faster than they can be painted. */
const RENDER_INTERVAL_MS = 16;
const RETRY_DELAY_MS = 2_000;

interface User {
  readonly id: string | null;
  readonly name: string;
}

type Outgoing = OutgoingMessage & { readonly options: SendOptions };

/** Everything that is known of a swarm while somebody looks at it: from `open` to `close`, as one user. */
export class SwarmStore implements SwarmActions {
  readonly #client: SupabaseClient<Database>;
  readonly #swarmId: string;
  readonly #user: User;
  readonly #onChange: (state: SwarmState) => void;
  readonly #streams: RunStreams;
  readonly #channels: LiveChannels;
  readonly #decided = new Set<string>();
  readonly #retryTimers = new Set<ReturnType<typeof setTimeout>>();
  #rows: readonly Message[] = [];
  /** From tables and realtime. Streams deliver replies before earlier messages of others are known. */
  #known = NOTHING_KNOWN;
  /** Where messages may be missing since a connection was lost. */
  #missedSince: KnownUntil | null = null;
  #outgoing: readonly Outgoing[] = [];
  #state: SwarmState = INITIAL_STATE;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loading: Promise<void> | null = null;
  #isClosed = false;

  constructor(
    client: SupabaseClient<Database>,
    swarmId: string,
    user: User,
    options: StoreOptions & { onChange(state: SwarmState): void },
  ) {
    this.#client = client;
    this.#swarmId = swarmId;
    this.#user = user;
    this.#onChange = options.onChange;
    this.#streams = new RunStreams({
      client,
      swarmId,
      includeReasoning: options.includeReasoning,
      onChange: () => this.#change({}),
      onMessage: (row) => this.#receive([row]),
    });
    this.#channels = openLiveChannels(
      client,
      { swarmId, presentAs: options.presence ? user.id : null },
      {
        onJoin: () => {
          // Changes before the join may have been missed, also by a read that is under way: its end must not count for them.
          this.#missedSince = { ...(this.#missedSince ?? this.#known) };
          this.#change({ isLive: true });
          void this.#catchUp();
        },
        onLeave: () => this.#change({ isLive: false }),
        onMessage: (row) => void this.#receiveChange(row),
        onRun: ({ id, status }) => {
          if (!isFinalRunStatus(status)) this.#streams.attach(id);
        },
        onPresence: (present) => this.#change({ present }),
      },
    );
    void this.#load();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#timer, ...this.#retryTimers]) clearTimeout(timer);
    this.#streams.close();
    await this.#channels.close();
  }

  readonly send = async (content: string, options: SendOptions = {}): Promise<void> => {
    const clientMessageId = createRandomId();
    const { replyToId = null } = options;
    const createdAt = new Date().toISOString();
    this.#outgoing = [...this.#outgoing, { clientMessageId, content, replyToId, createdAt, error: null, options }];
    this.#change({});
    await this.#deliver(clientMessageId);
  };

  readonly retry = async (key: string): Promise<void> => {
    if (!this.#outgoing.some(({ clientMessageId, error }) => clientMessageId === key && error !== null)) return;
    this.#setError(key, null);
    await this.#deliver(key);
  };

  readonly discard = (key: string): void => {
    this.#outgoing = this.#outgoing.filter(({ clientMessageId, error }) => clientMessageId !== key || error === null);
    this.#change({});
  };

  readonly approve: SwarmActions["approve"] = (call, content) => this.#decide(call, { approved: true, content });

  readonly deny: SwarmActions["deny"] = (call, reason) => this.#decide(call, { approved: false, reason });

  readonly signal: SwarmActions["signal"] = async (run_id, name, data) =>
    void (await signal(this.#client, { run_id, name, data }));

  readonly cancel: SwarmActions["cancel"] = (runId) => this.#streams.cancel(runId);

  readonly loadOlder = async (): Promise<void> => {
    const before = this.#rows[0]?.seq;
    if (!this.#state.hasOlder || before === undefined) return;
    const { rows, hasOlder } = await readPage(this.#client, this.#swarmId, before);
    this.#rows = mergeRows(this.#rows, rows);
    this.#change({ hasOlder });
  };

  readonly reload = (): void => {
    this.#change({ status: "loading", error: null });
    void this.#load();
  };

  /** Reads the newest messages and follows the runs under way. */
  #load(): Promise<void> {
    this.#loading ??= (async () => {
      try {
        const [{ rows, hasOlder }, runs] = await Promise.all([
          readPage(this.#client, this.#swarmId, null),
          readUnfinishedRuns(this.#client, this.#swarmId),
        ]);
        if (this.#isClosed) return;
        this.#rows = mergeRows(this.#rows, rows);
        this.#known = extendKnown(this.#known, rows);
        for (const id of runs) this.#streams.attach(id);
        this.#change({ status: "ready", error: null, hasOlder });
      } catch (error) {
        this.#change({ status: "failed", error: toError(error) });
      } finally {
        this.#loading = null;
      }
    })();
    return this.#loading;
  }

  async #catchUp(): Promise<void> {
    await this.#loading;
    const since = this.#missedSince;
    if (this.#isClosed || since === null) return;
    if (this.#state.status !== "ready") {
      this.#missedSince = null;
      return this.#load();
    }
    try {
      const missed = await readMissed(this.#client, this.#swarmId, since);
      const runs = await readUnfinishedRuns(this.#client, this.#swarmId);
      if (this.#isClosed) return;
      if (this.#missedSince === since) this.#missedSince = null;
      for (const id of runs) this.#streams.attach(id);
      if (missed !== null) return this.#receiveKnown(missed);
      this.#rows = [];
      await this.#load();
    } catch {
      if (this.#missedSince === since) this.#readLater(() => this.#catchUp());
    }
  }

  async #receiveChange(row: Partial<Message> & Pick<Message, "id">): Promise<void> {
    // Realtime omits the content of very long messages.
    if (row.content !== undefined) return this.#receiveKnown([row as Message]);
    try {
      const whole = await readMessage(this.#client, row.id);
      if (whole !== null) this.#receiveKnown([whole]);
    } catch {
      this.#readLater(() => this.#receiveChange(row));
    }
  }

  #readLater(read: () => Promise<void>): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#retryTimers.delete(timer);
      void read();
    }, RETRY_DELAY_MS);
    this.#retryTimers.add(timer);
  }

  #receiveKnown(rows: readonly Message[]): void {
    this.#known = extendKnown(this.#known, rows);
    this.#receive(rows);
  }

  /** Messages before the oldest loaded page would leave a gap. */
  #receive(received: readonly Message[]): void {
    const oldest = this.#state.hasOlder ? (this.#rows[0]?.seq ?? 0) : 0;
    this.#rows = mergeRows(
      this.#rows,
      received.filter(({ seq }) => seq >= oldest),
    );
    const stored = new Set(this.#rows.map(({ client_message_id: id }) => id));
    this.#outgoing = this.#outgoing.filter(({ clientMessageId }) => !stored.has(clientMessageId));
    this.#change({});
  }

  async #deliver(key: string): Promise<void> {
    const message = this.#outgoing.find(({ clientMessageId }) => clientMessageId === key);
    if (message === undefined) return;
    const { content, replyToId, options } = message;
    const { agentIds, metadata, onConflict, respond = true } = options;
    const common = {
      swarm_id: this.#swarmId,
      client_message_id: key,
      ...(replyToId !== null && { reply_to_id: replyToId }),
    };
    try {
      if (respond) {
        const choices = { agent_ids: agentIds, metadata, on_conflict: onConflict };
        await this.#streams.ask({ ...common, ...choices, message: content });
      } else {
        const row = { ...common, content, ...(metadata && { metadata: metadata as Message["metadata"] }) };
        this.#receive([await insertMessage(this.#client, row)]);
      }
    } catch (error) {
      if (!this.#isClosed) this.#setError(key, toError(error));
    }
  }

  async #decide(approval: Approval, decision: Decision): Promise<void> {
    const key = keyOfWait(approval);
    this.#decided.add(key);
    this.#change({});
    try {
      const decisions = [{ tool_execution_id: approval.id, ...decision }];
      await invokeFunction(this.#client, "agent-respond", { action: "approve", run_id: approval.runId, decisions });
    } catch (error) {
      this.#decided.delete(key);
      this.#change({});
      throw error;
    }
  }

  #setError(key: string, error: Error | null): void {
    this.#outgoing = this.#outgoing.map((message) =>
      message.clientMessageId === key ? { ...message, error } : message,
    );
    this.#change({});
  }

  #change(changed: Partial<SwarmState>): void {
    this.#state = { ...this.#state, ...changed };
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#publish();
    }, RENDER_INTERVAL_MS);
  }

  #publish(): void {
    const runs = this.#streams.list();
    const { id: userId, name: userName } = this.#user;
    this.#state = {
      ...this.#state,
      messages: composeMessages({ rows: this.#rows, outgoing: this.#outgoing, runs, userId, userName }),
      runs,
      ...describeRuns(runs, this.#decided),
    };
    this.#onChange(this.#state);
  }
}
