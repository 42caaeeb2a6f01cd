import {
  isExactPrompt,
  listPromptExecutions,
  listPromptSeqs,
  resolvePrompt,
  type RunStatus,
  type SentPrompt,
} from "@swarmbase/sdk";
import { useEffect, useMemo, useState } from "react";
import type { Row } from "./client.ts";
import { compareAfter, containsText, inRange, type TimeRange } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";
import type { Answer, ToolCall } from "./runs.ts";

type Question = Pick<Row<"messages">, "content" | "sender_name" | "seq">;

export interface ListedRun extends Row<"runs"> {
  readonly question: Question | null;
  /** In lists. */
  readonly duration_ms?: number | null;
  readonly run_turns?: readonly Pick<Row<"run_turns">, "agent_name" | "model">[];
  readonly swarms: Pick<Row<"swarms">, "name"> | null;
}

export type ModelCall = Row<"model_calls">;

export interface TraceTurn extends Row<"run_turns"> {
  readonly model_calls: readonly ModelCall[];
  readonly tool_executions: readonly ToolCall[];
}

/** A run with all its parts. */
export interface Trace extends ListedRun {
  readonly turns: readonly TraceTurn[];
  /** The calls that belong to no turn: selections of the next speaker. */
  readonly selections: readonly ModelCall[];
  readonly answers: readonly Answer[];
  /** The calls of tools in turns that the user may not see. */
  readonly otherCalls: readonly ToolCall[];
}

interface RunFilter {
  /** What columns have to be. An empty text is no condition. */
  readonly equal: {
    readonly status?: RunStatus | "";
    readonly swarm_id?: string;
    /** The person who started the run. */
    readonly user_id?: string;
    readonly "asked.agent_id"?: string;
    readonly "asked.model"?: string;
  };
  readonly range: TimeRange;
  /** A part of the question, or the id of a run. */
  readonly search: string;
}

/** Of the agents of a run, a list names the first ones. */
const MAX_SPEAKERS = 5;
const QUESTION = "question:messages!runs_message_id_fkey";
const QUESTION_COLUMNS = "(content, sender_name, seq)";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/**
 * Columns that answer what was slow, expensive or wrong, the newest first among equals. No index has these orders, because it would
 * cost each run a write: the service sorts what the index of swarms and times finds, so they need a range of time.
 */
const RUN_ORDERS = {
  newest: null,
  cost: { column: "usage->cost_usd", read: (run: ListedRun) => run.usage?.cost_usd },
  duration: { column: "duration_ms", read: (run: ListedRun) => run.duration_ms },
  errors: { column: "error->>code", read: (run: ListedRun) => run.error?.code },
  oldest: null,
} as const;
export type RunOrder = keyof typeof RUN_ORDERS;
export const RECENT_DAYS = 7;

/** Whether an order compares only the runs of the last days, because no time is chosen. */
export function isRecentOnly({ since }: TimeRange, order: RunOrder): boolean {
  return since === null && RUN_ORDERS[order] !== null;
}

function findRecent(): string {
  return new Date(Date.now() - RECENT_DAYS * 86_400_000).toISOString();
}

/** The runs of all swarms. */
export function useAllRuns(filter: RunFilter, order: RunOrder): Pages<ListedRun> {
  useLiveTable("runs");
  return usePages<ListedRun>({
    table: "runs",
    key: ["all", filter, order],
    read: (client, { last, size }) => {
      const search = filter.search.trim();
      const isId = UUID.test(search);
      const question = `${QUESTION}${search !== "" && !isId ? "!inner" : ""}${QUESTION_COLUMNS}`;
      const equal = Object.entries(filter.equal).filter(([, value]) => value !== "");
      const turns = equal.some(([column]) => column.startsWith("asked")) ? ", asked:run_turns!inner(agent_id)" : "";
      let query = client
        .from("runs")
        .select(`*, duration_ms, swarms(name), ${question}, run_turns(agent_name, model)${turns}`)
        // Those of sub-tasks are parts of others.
        .or("request->>source.neq.sub_task,request->>source.is.null")
        .limit(MAX_SPEAKERS, { referencedTable: "run_turns" })
        .limit(size);
      for (const [column, value] of equal) query = query.eq(column, value);
      query = inRange(query, { ...filter.range, ...(isRecentOnly(filter.range, order) && { since: findRecent() }) });
      if (isId) query = query.eq("id", search);
      else if (search !== "") query = query.or(containsText(["content"], search), { referencedTable: "question" });
      const by = RUN_ORDERS[order];
      if (by !== null) return compareAfter(query, by.column, last && { id: last.id, value: by.read(last) ?? null });
      const ordered = query.order("id", { ascending: order === "oldest" });
      if (last === null) return ordered;
      return order === "oldest" ? ordered.gt("id", last.id) : ordered.lt("id", last.id);
    },
  });
}

const TRACE = [
  "*, swarms(name)",
  `${QUESTION}${QUESTION_COLUMNS}`,
  "turns(*, model_calls(*))",
  "calls:tool_executions(*, tool_execution_payloads(input, output, question))",
  "selections:model_calls(*)",
  "answers:messages!messages_run_id_fkey(id, content, sender_name, turn_id)",
].join(", ");

/** The traces of runs, in one request. Runs that the user may not see are absent. */
export function useTraces(ids: readonly string[]): ReadResult<readonly Trace[]> {
  const key = useMemo(() => ["traces", ...ids], [ids]);
  // The parts of a run are rows of other tables.
  const onChange = useReloadSoon(
    useMemo(() => ["runs", ...key], [key]),
    ANY_CHANGE,
  );
  const filter = `run_id=in.(${ids.join(",")})`;
  useLiveTable("runs", { filter: `id=in.(${ids.join(",")})`, onChange });
  useLiveTable("run_turns", { filter, onChange });
  useLiveTable("tool_executions", { filter, onChange });
  const { rows, failure, reload } = useRows({
    table: "runs",
    key,
    read: (client) =>
      client
        .from("runs")
        .select<string, LoadedTrace>(TRACE)
        .in("id", ids)
        .is("selections.turn_id", null)
        .neq("answers.sender_type", "user")
        .order("seq", { referencedTable: "answers" }),
  });
  return { rows: useMemo(() => rows?.map(placeCalls), [rows]), failure, reload };
}

interface LoadedTrace extends Omit<Trace, "turns" | "otherCalls"> {
  readonly turns: readonly Omit<TraceTurn, "tool_executions">[];
  readonly calls: readonly ToolCall[];
}

function placeCalls({ turns, calls, ...run }: LoadedTrace): Trace {
  const byTurn = Map.groupBy(calls, ({ turn_id: id }) => id);
  return {
    ...run,
    turns: turns.map((turn) => ({ ...turn, tool_executions: byTurn.get(turn.id) ?? [] })),
    otherCalls: calls.filter(({ turn_id: turnId }) => !turns.some(({ id }) => id === turnId)),
  };
}

const ANY_CHANGE = ["INSERT", "UPDATE", "DELETE"] as const;
const NONE: readonly string[] = [];

/** The run, those of its sub-tasks, and those that it is a sub-task of, as far as the user may see them. */
export function useTraceTree(id: string): ReadResult<readonly Trace[]> {
  const [others, setOthers] = useState(NONE);
  const read = useTraces(useMemo(() => [id, ...others], [id, others]));
  const near = read.rows?.flatMap((trace) => [...listSubRuns(trace), parentOf(trace) ?? id]) ?? NONE;
  const found = [...new Set(near)].filter((nearId) => nearId !== id && !others.includes(nearId));
  useEffect(() => {
    if (found.length > 0) setOthers([...others, ...found]);
  });
  return read;
}

/** The run that this one is a sub-task of. */
export function parentOf({ request }: Trace): string | null {
  const parentId = request["parent_run_id"];
  return typeof parentId === "string" ? parentId : null;
}

/** The runs that calls of tools of a run have begun. */
export function listSubRuns({ turns }: Trace): readonly string[] {
  return turns.flatMap((turn) => turn.tool_executions.flatMap(({ sub_run_id: subId }) => subId ?? []));
}

/** Undefined while it loads. Null means that the prompt is not stored, or the user may not see it. */
export type LoadedPrompt =
  | {
      readonly sent: SentPrompt;
      /** Whether the texts are those that were sent. Undefined until this is known. */
      readonly isExact: boolean | undefined;
      readonly terms: Pick<Row<"model_call_prompts">, "settings" | "tool_choice" | "max_output_tokens">;
    }
  | null
  | undefined;

/** What a model call sent. `calls`: those of its turn, the oldest first, up to this one. */
export function usePrompt(swarmId: string, calls: readonly ModelCall[]): LoadedPrompt {
  const idList = calls.map(({ id }) => id).join(",");
  const ids = useMemo(() => idList.split(","), [idList]);
  const { rows: prompts } = useRows({
    table: "model_call_prompts",
    key: ["of", idList],
    read: (client) => client.from("model_call_prompts").select("*").in("model_call_id", ids),
  });
  const ordered = useMemo(
    () => prompts && ids.flatMap((id) => prompts.find((prompt) => prompt.model_call_id === id) ?? []),
    [prompts, ids],
  );
  const seqs = useMemo(() => listPromptSeqs(ordered ?? []), [ordered]);
  const { rows: messages } = useRows({
    table: "messages",
    key: ["of prompts", swarmId, seqs],
    isOn: seqs.length > 0,
    read: (client) =>
      client
        .from("messages")
        .select("id, seq, content, message_revisions(content, created_at)")
        .eq("swarm_id", swarmId)
        .in("seq", seqs)
        .limit(seqs.length),
  });
  const executions = useMemo(() => listPromptExecutions(ordered ?? []), [ordered]);
  const { rows: payloads } = useRows({
    table: "tool_execution_payloads",
    key: ["of prompts", swarmId, executions],
    isOn: executions.length > 0,
    read: (client) =>
      client
        .from("tool_execution_payloads")
        .select("tool_execution_id, input, output")
        .eq("swarm_id", swarmId)
        .in("tool_execution_id", executions),
  });
  const at = calls.at(-1)?.started_at ?? "";
  const last = ordered?.at(-1);
  const sent = useMemo(() => {
    if (ordered === undefined || (seqs.length > 0 && messages === undefined)) return undefined;
    const bySeq = new Map(messages?.map((message) => [message.seq, textAt(message, at)]));
    const byId = new Map(payloads?.map((payload) => [payload.tool_execution_id, payload]));
    return resolvePrompt(ordered, {
      message: (seq) => bySeq.get(seq) ?? null,
      call(id) {
        const found = byId.get(id);
        return found === undefined ? null : { input: textOf(found.input), output: textOf(found.output) };
      },
    });
  }, [ordered, seqs, messages, payloads, at]);
  const isExact = useExactness(sent);
  if (sent === undefined || sent === null) return sent;
  // A retry has no prompt of its own, because it sends the same.
  return last === undefined ? null : { sent, isExact, terms: last };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface RevisedMessage {
  readonly content: string | null;
  readonly message_revisions: readonly { readonly content: string; readonly created_at: string }[];
}

/** The text of a message at a time. A revision has the text before the change at its time. */
function textAt({ content, message_revisions: revisions }: RevisedMessage, at: string): string | null {
  const next = revisions
    .filter(({ created_at: changed }) => Date.parse(changed) > Date.parse(at))
    .toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))[0];
  return next === undefined ? content : next.content;
}

function useExactness(sent: SentPrompt | null | undefined): boolean | undefined {
  const [checked, setChecked] = useState<{ readonly sent: SentPrompt; readonly isExact: boolean }>();
  useEffect(() => {
    if (sent === undefined || sent === null) return;
    let isCurrent = true;
    void isExactPrompt(sent).then((isExact) => {
      if (isCurrent) setChecked({ sent, isExact });
    });
    return () => {
      isCurrent = false;
    };
  }, [sent]);
  return checked !== undefined && checked.sent === sent ? checked.isExact : undefined;
}
