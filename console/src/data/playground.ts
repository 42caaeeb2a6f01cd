import {
  type AgentRespondConverseBody,
  applyRunEvent,
  attach,
  beginLiveRun,
  respond,
  type RunStream,
  type RunStreamEvent,
} from "@swarmbase/sdk";
import { useEffect } from "react";
import { getClient } from "./client.ts";
import { toFailure } from "./failure.ts";
import { hasEnded } from "./live-run.ts";
import {
  type AgentValues,
  answerOf,
  type Column,
  type Exchange,
  forgetColumns,
  isUnderWay,
  loadColumns,
  storeColumns,
} from "./playground-state.ts";
import { cancelRun } from "./respond.ts";
import { beforeSignOut, useUser } from "./session.ts";
import { createStore, useStore } from "./store.ts";

/** The call of a column without its conversation. */
export type ColumnCall = Omit<AgentRespondConverseBody, "messages" | "stream" | "background">;

type Messages = AgentRespondConverseBody["messages"];

export interface ColumnQuestion {
  readonly question: string;
  readonly call: ColumnCall;
  /** The agent as it is now. */
  readonly seen: AgentValues;
  readonly kind: Exchange["kind"];
  /** The id of a failed exchange, which this one replaces. */
  readonly replacedId?: string;
}

interface Playground {
  readonly userId: string;
  /** Null before the first column was chosen. */
  readonly columns: readonly Column[] | null;
}

const RECONNECT = { startAttempts: 0, attempts: Number.POSITIVE_INFINITY };
const LOST_START = "The page was reloaded before the answer began.";
const KEEP_DELAY_MS = 500;

/** Outlives the page, so that answers continue while other pages are open. */
const store = createStore<Playground>({ userId: "", columns: null });
/** The newest state. Streams show it once per frame, because tokens arrive faster. */
let latest = store.get();
let frame = 0;
let keeping = 0;
/** By the id of the exchange. */
const streams = new Map<string, AbortController>();
const stopping = new Set<string>();
/** What a column is asked next, by its id. */
const waiting = new Map<string, readonly ColumnQuestion[]>();

/** The columns of this tab. Null means that none was chosen yet. Undefined means that they are being read. */
export function usePlayground(): readonly Column[] | null | undefined {
  const { id: userId } = useUser();
  const state = useStore(store);
  useEffect(() => {
    open(userId);
  }, [userId]);
  return state.userId === userId ? state.columns : undefined;
}

export function setColumns(columns: readonly Column[]): void {
  const kept = new Set(columns.flatMap(({ exchanges }) => exchanges.map(({ id }) => id)));
  for (const { id, exchanges } of latest.columns ?? [])
    for (const exchange of exchanges.filter((one) => !kept.has(one.id))) {
      waiting.delete(id);
      leave(exchange);
    }
  change(columns);
  store.set(latest);
}

export function changeColumn(id: string, part: Partial<Omit<Column, "id">>): void {
  setColumns((latest.columns ?? []).map((column) => (column.id === id ? { ...column, ...part } : column)));
}

/** Asks a column one question after the other. */
export function askColumn(id: string, [asked, ...further]: readonly ColumnQuestion[]): void {
  const column = latest.columns?.find((found) => found.id === id);
  if (asked === undefined || column === undefined || column.exchanges.some(isUnderWay)) return;
  const { question, call, seen, kind, replacedId } = asked;
  const exchange: Exchange = {
    id: crypto.randomUUID(),
    question,
    kind,
    askedAtMs: Date.now(),
    run: null,
    firstTokenMs: null,
    durationMs: null,
    failure: null,
  };
  const before = column.exchanges.filter((earlier) => earlier.id !== replacedId);
  const messages = joinResults([
    ...(kind === "case" ? [] : [...(column.opening?.messages ?? []), ...listMessages(before)]),
    ...(kind === "opening" ? [] : [{ role: "user" as const, content: question }]),
  ]);
  changeColumn(id, { seen, exchanges: [...before, exchange] });
  waiting.set(id, further);
  void follow(exchange.id, (signal) =>
    respond(getClient(), { ...call, messages }, { signal, reconnect: RECONNECT, idempotencyKey: exchange.id }),
  ).then(() => askColumn(id, waiting.get(id) ?? []));
}

/** Stops the answers that are under way, of one column or of all. Rejects if the service cannot stop one. */
export async function stopAnswers(columnId: string | null): Promise<void> {
  const columns = (latest.columns ?? []).filter(({ id }) => columnId === null || id === columnId);
  for (const { id } of columns) waiting.delete(id);
  const running = columns.flatMap(({ exchanges }) => exchanges.filter(isUnderWay));
  await Promise.all(
    running.map(async ({ id, run }) => {
      if (run === null) stopping.add(id);
      else await cancelRun(run.id);
    }),
  );
}

/** Only the last message may say nothing but results of tools: those of others stand before the next message. */
function joinResults(messages: Messages): Messages {
  return messages.flatMap((message, place) => {
    const before = messages[place - 1];
    if (message.content === "" && place < messages.length - 1) return [];
    return [before?.content === "" ? { ...message, tool_results: before.tool_results } : message];
  });
}

/** The conversation so far. Questions without an answer are left out. */
function listMessages(exchanges: readonly Exchange[]) {
  return exchanges.flatMap((exchange) => {
    const answer = answerOf(exchange);
    if (answer.trim() === "" || exchange.kind === "case") return [];
    return [
      ...(exchange.kind === "opening" ? [] : [{ role: "user" as const, content: exchange.question }]),
      { role: "assistant" as const, content: answer },
    ];
  });
}

/** Reads the stream of an exchange to its end. */
async function follow(exchangeId: string, openStream: (signal: AbortSignal) => RunStream): Promise<void> {
  const abort = new AbortController();
  streams.set(exchangeId, abort);
  try {
    const stream = openStream(abort.signal);
    for await (const event of stream) {
      const { runId } = stream;
      if (runId === null) continue;
      if (stopping.delete(exchangeId)) void cancelRun(runId).catch(() => {});
      changeExchange(exchangeId, (exchange) => applyEvent(exchange, runId, event));
    }
  } catch (error) {
    if (abort.signal.aborted) return;
    const { message } = await toFailure(error);
    changeExchange(exchangeId, (exchange) => ({ ...exchange, failure: message }));
  } finally {
    streams.delete(exchangeId);
    stopping.delete(exchangeId);
  }
}

function applyEvent(exchange: Exchange, runId: string, event: RunStreamEvent): Exchange {
  const run = applyRunEvent(exchange.run ?? beginLiveRun(runId, ""), event);
  const elapsedMs = Date.now() - exchange.askedAtMs;
  const firstTokenMs = exchange.firstTokenMs ?? (event.type === "message.delta" ? elapsedMs : null);
  if (!hasEnded(run) || exchange.durationMs !== null) return { ...exchange, run, firstTokenMs };
  const [answer] = "responses" in event.data ? event.data.responses : [];
  return {
    ...exchange,
    run,
    firstTokenMs: answer?.first_token_ms ?? firstTokenMs,
    durationMs: answer?.duration_ms ?? elapsedMs,
  };
}

function open(userId: string): void {
  if (latest.userId === userId) return;
  latest = { userId, columns: loadColumns(userId) };
  for (const { id, run, ...exchange } of listExchanges()) {
    if (!isUnderWay({ id, run, ...exchange })) continue;
    if (run === null) changeExchange(id, (lost) => ({ ...lost, failure: LOST_START }));
    else
      void follow(id, (signal) =>
        attach(getClient(), run.id, { signal, reconnect: RECONNECT, lastEventId: run.lastEventId }),
      );
  }
  store.set(latest);
}

function listExchanges(): readonly Exchange[] {
  return (latest.columns ?? []).flatMap(({ exchanges }) => exchanges);
}

/** Nobody sees the answer any more, so it need not be written. */
function leave(exchange: Exchange): void {
  streams.get(exchange.id)?.abort();
  if (exchange.run !== null && isUnderWay(exchange)) void cancelRun(exchange.run.id).catch(() => {});
}

function changeExchange(id: string, apply: (exchange: Exchange) => Exchange): void {
  change(
    (latest.columns ?? []).map((column) =>
      column.exchanges.some((exchange) => exchange.id === id)
        ? {
            ...column,
            exchanges: column.exchanges.map((exchange) => (exchange.id === id ? apply(exchange) : exchange)),
          }
        : column,
    ),
  );
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    store.set(latest);
  });
}

function change(columns: readonly Column[]): void {
  latest = { ...latest, columns };
  keeping ||= window.setTimeout(keep, KEEP_DELAY_MS);
}

function keep(): void {
  window.clearTimeout(keeping);
  keeping = 0;
  if (latest.columns !== null) storeColumns(latest.userId, latest.columns);
}

addEventListener("pagehide", keep);

beforeSignOut(async () => {
  for (const abort of streams.values()) abort.abort();
  window.clearTimeout(keeping);
  keeping = 0;
  forgetColumns(latest.userId);
  latest = { userId: "", columns: null };
  store.set(latest);
});
