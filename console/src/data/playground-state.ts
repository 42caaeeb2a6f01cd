import {
  type AgentRespondConverseBody,
  isSameJson,
  type JsonObject,
  type LiveRun as StreamedRun,
} from "@swarmbase/sdk";
import type { AgentDraft } from "./agents.ts";
import { hasEnded } from "./live-run.ts";

/** What the model gets of an agent, apart from its tools. */
export type AgentValues = Pick<AgentDraft, "role" | "framework" | "model" | "system_prompt" | "settings">;

/** What a column changes of its agent. A member that is absent changes nothing. */
export type ColumnChanges = Partial<Omit<AgentValues, "role">>;

/** What a model call of a run has sent, apart from the values of its agent. */
export interface Opening {
  readonly messages: AgentRespondConverseBody["messages"];
  readonly settings: NonNullable<AgentRespondConverseBody["settings"]>;
}

/** A question to a column, and its answer. */
export interface Exchange {
  readonly id: string;
  readonly question: string;
  /** A case stands alone. The column was asked with its opening alone, which ends with the question. Others continue what was said. */
  readonly kind: "further" | "opening" | "case";
  readonly askedAtMs: number;
  /** Null until the service has started the run. */
  readonly run: StreamedRun | null;
  /** Measured here until the run has ended, then by the service. */
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  /** Why there is no run, or why it can no longer be followed. */
  readonly failure: string | null;
}

export interface Column {
  readonly id: string;
  readonly agentId: string;
  /** Null means the agent as it is. */
  readonly version: number | null;
  readonly changes: ColumnChanges;
  /** The agent as it was when the column was asked last. */
  readonly seen: AgentValues | null;
  /** The conversation that the first question continues. */
  readonly opening: Opening | null;
  readonly exchanges: readonly Exchange[];
}

/** More would be too narrow to read. */
export const MAX_COLUMNS = 4;

export function createColumn(agentId: string, version: number | null = null): Column {
  return { id: crypto.randomUUID(), agentId, version, changes: {}, seen: null, opening: null, exchanges: [] };
}

/** The same column without its answers. */
export function copyColumn(column: Column): Column {
  return { ...column, id: crypto.randomUUID(), seen: null, exchanges: [] };
}

export function isUnderWay({ run, failure }: Exchange): boolean {
  return failure === null && (run === null || !hasEnded(run));
}

/** The text of the answer so far. */
export function answerOf({ run }: Exchange): string {
  return (run?.turns ?? [])
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
}

export function pickValues({ role, framework, model, system_prompt, settings }: AgentValues): AgentValues {
  return { role, framework, model, system_prompt, settings };
}

export function isSameValues(one: AgentValues, other: AgentValues): boolean {
  return isSameJson(one as unknown as JsonObject, other as unknown as JsonObject);
}

const keyOf = (userId: string): string => `swarmbase.playground.${userId}`;

/** The columns that this tab has kept. Null means that there are none, or that they are not readable. */
export function loadColumns(userId: string): readonly Column[] | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(userId)) ?? "null");
    return Array.isArray(kept) && kept.every(isColumn) ? kept.slice(0, MAX_COLUMNS) : null;
  } catch {
    return null;
  }
}

export function storeColumns(userId: string, columns: readonly Column[]): void {
  try {
    sessionStorage.setItem(keyOf(userId), JSON.stringify(columns));
  } catch {
    // The storage of a tab is limited. What does not fit is lost with a reload, and nothing else.
    sessionStorage.removeItem(keyOf(userId));
  }
}

export function forgetColumns(userId: string): void {
  sessionStorage.removeItem(keyOf(userId));
}

/** An earlier release may have kept another form. */
function isColumn(value: unknown): value is Column {
  const { id, agentId, changes, opening, exchanges } = (value ?? {}) as Partial<Column>;
  return (
    typeof id === "string" &&
    typeof agentId === "string" &&
    typeof changes === "object" &&
    (opening === null || Array.isArray(opening?.messages)) &&
    Array.isArray(exchanges) &&
    exchanges.every(({ question }: Exchange) => typeof question === "string")
  );
}
