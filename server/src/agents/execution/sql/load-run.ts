import type { SwarmStrategy } from "@swarmbase/sdk";
import type pg from "pg";
import type { Guardrail } from "../../guardrails/guardrail.ts";
import type { FaultRow, SpeakingAgent } from "../steps.ts";

interface ContextAgent extends Pick<SpeakingAgent, "id" | "name" | "role" | "framework" | "model" | "settings"> {
  readonly position: number;
}

/** The JSON that private.load_run returns. */
export interface RunContext {
  readonly run: {
    readonly id: string;
    readonly swarm_id: string;
    readonly user_id: string | null;
    readonly message_id: string | null;
    readonly strategy: SwarmStrategy;
    readonly request: Readonly<Record<string, unknown>>;
  };
  readonly last_seq: number;
  readonly swarm: {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly owner_id: string;
    readonly coordinator_agent_id: string | null;
    readonly settings: Readonly<Record<string, unknown>>;
  };
  readonly message: string | null;
  readonly agents: readonly ContextAgent[];
  readonly people: readonly { readonly id: string; readonly name: string }[];
  readonly payer_id: string;
  /** Of the payer, the swarm or the run. */
  readonly has_budget: boolean;
  /** Of the swarm and its agents, as they were when this node took the run. */
  readonly guardrails: readonly Guardrail[];
  /** False when the starter of the run may no longer start runs in the swarm. */
  readonly may_go_on: boolean;
  readonly progress: unknown;
  /** Of tool calls that waited for an approval or for the client. */
  readonly decisions: readonly Decision[];
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
}

/** Null: this node no longer holds the run. */
export async function loadRun(
  pool: pg.Pool,
  { runId, fence }: { readonly runId: string; readonly fence: number },
): Promise<RunContext | null> {
  const { rows } = await pool.query<{ context: RunContext | null }>({
    name: "agents-load-run",
    text: "select private.load_run($1, $2) as context",
    values: [runId, fence],
  });
  return rows[0]?.context ?? null;
}
