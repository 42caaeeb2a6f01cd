import type { SwarmStrategy } from "@swarmbase/sdk";
import type pg from "pg";
import type { Guardrail } from "../../guardrails/guardrail.ts";
import type { FaultRow, QuestionRow, SpeakingAgent, UsageRow } from "../../writer/steps.ts";

interface ContextAgent
  extends Pick<SpeakingAgent, "id" | "name" | "user_id" | "role" | "framework" | "model" | "settings"> {
  readonly position: number;
  /** Null means that whoever pays for the run pays for the agent, too. */
  readonly payer_id: string | null;
  /** The grant by which the agent answers; null means that its owner is a member of the swarm. */
  readonly grant_id: string | null;
  readonly accepts_client_tools: boolean;
  /** Null unless the strategy is `selector`. */
  readonly system_prompt: string | null;
}

/** The JSON that private.load_run returns. */
export interface LoadedRun {
  readonly run: {
    readonly id: string;
    readonly swarm_id: string;
    readonly user_id: string | null;
    readonly message_id: string | null;
    readonly strategy: SwarmStrategy;
    readonly request: Readonly<Record<string, unknown>>;
  };
  readonly last_seq: number;
  /** How many seqs after the last one that is safely stored may be shown to readers. */
  readonly max_unstored_seqs: number;
  readonly swarm: {
    readonly id: string;
    readonly name: string;
    readonly description: string | null;
    readonly status: string;
    readonly owner_id: string;
    readonly coordinator_agent_id: string | null;
    readonly settings: Readonly<Record<string, unknown>>;
    /** A conversation with one agent, whose name is the beginning of its first message. */
    readonly is_private: boolean;
  };
  readonly message: string | null;
  readonly agents: readonly ContextAgent[];
  readonly people: readonly { readonly id: string; readonly name: string }[];
  /** The agent to which the conversation was handed over last; null when none was, or with another strategy. */
  readonly in_charge_agent_id: string | null;
  /** What agents were asked by others, by the message that answers it. */
  readonly questions: readonly { readonly message_id: string; readonly asked: QuestionRow }[];
  readonly payer_id: string;
  /** Of a payer, the swarm or the run. */
  readonly has_budget: boolean;
  /** Of the swarm and its agents, as they were when this node took the run. */
  readonly guardrails: readonly Guardrail[];
  /** False when the starter of the run may no longer start runs in the swarm. */
  readonly may_go_on: boolean;
  readonly progress: unknown;
  /** Null when the run was not taken over from a lost node. */
  readonly recovery: RunRecovery | null;
  /** Of tool calls that waited for an approval or for the client. */
  readonly decisions: readonly Decision[];
}

/** What a lost node has left in addition to the stored progress. */
interface RunRecovery {
  /** Since the progress was stored. */
  readonly elapsed_ms: number;
  readonly open_turns: readonly OpenTurnRow[];
  readonly reservations: readonly {
    readonly id: string;
    readonly turn_id: string | null;
    /** Null means that the call was in progress. */
    readonly usage: UsageRow | null;
  }[];
}

interface OpenTurnRow {
  readonly id: string;
  readonly message_id: string;
  readonly agent_id: string;
  readonly position: number;
  /** The text that readers have. */
  readonly text: string;
  /** Calls of a model since the progress was stored, if one was made. */
  readonly lost_calls: number;
  /** Of what was stored of their answers. */
  readonly lost_chars: number;
}

interface Decision {
  readonly id: string;
  /** `running`: approved, or the client has submitted its result. */
  readonly status: string;
  readonly error: FaultRow | null;
  readonly duration_ms: number | null;
  /** The result of the client as text. */
  readonly output: unknown;
  /** To a question of the tool. */
  readonly answer?: unknown;
  /** The question that was asked. */
  readonly question_id?: string | null;
}

/** Returns null when this node no longer holds the run. */
export async function loadRun(
  pool: pg.Pool,
  { runId, fence }: { readonly runId: string; readonly fence: number },
): Promise<LoadedRun | null> {
  const { rows } = await pool.query<{ context: LoadedRun | null }>({
    name: "agents-load-run",
    text: "select private.load_run($1, $2) as context",
    values: [runId, fence],
  });
  return rows[0]?.context ?? null;
}
