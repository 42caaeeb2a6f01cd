import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { createRunBatcher } from "../batcher.ts";
import type { Models } from "../providers/model-port.ts";
import type { Executor } from "../runs/executor.ts";
import { type FirstTurnWishes, planFirstTurn } from "./plan-first-turn.ts";
import {
  type Admission,
  type AdmissionFacts,
  type Admitted,
  admitRun,
  admitRuns,
  type CallFacts,
  type FirstTurnFacts,
  type OpenPreflight,
  type PlainCall,
  type Survey,
  preflightSwarm,
  preflightSwarms,
} from "./sql/admission.ts";

export interface AdmissionsOptions {
  readonly pool: pg.Pool;
  readonly executor: Pick<Executor, "leaseMs">;
  readonly models: Pick<Models, "describe">;
  /** Null: every call comes alone, and turns are begun by whoever carries the run out. */
  readonly crowd: Crowd | null;
}

export interface Crowd {
  newId(): string;
  /** How many runs are under way here. */
  countRuns(): number;
}

export interface Admissions {
  survey(facts: CallFacts): Promise<Survey>;
  planFirstTurn(survey: OpenPreflight, wishes: FirstTurnWishes): FirstTurnFacts | null;
  admit(facts: AdmissionFacts): Promise<Admission>;
}

const MOST_AT_ONCE = 50;

interface OfferedCall extends PlainCall {
  readonly owner: string;
}

/** Looks who asks for what, and lets runs in: plain calls of the same moment together. Whatever is out of the ordinary comes alone. */
export function openAdmissions({ pool, executor, models, crowd }: AdmissionsOptions): Admissions {
  const admitAlone = (facts: AdmissionFacts): Promise<Admission> => admitRun(pool, facts);
  const preflightAlone = (facts: CallFacts): Promise<Survey> => preflightSwarm(pool, facts);
  if (crowd === null) return { survey: preflightAlone, planFirstTurn: () => null, admit: admitAlone };
  const { newId, countRuns } = crowd;
  const preflightTogether = createRunBatcher<CallFacts, OpenPreflight>({
    maxItems: MOST_AT_ONCE,
    countRuns,
    work: (calls) => preflightSwarms(pool, calls),
  });
  const admitTogether = createRunBatcher<OfferedCall, Admitted>({
    maxItems: MOST_AT_ONCE,
    countRuns,
    keysOf: ({ swarm_id: swarmId, agent_id: agentId }) => [swarmId, agentId],
    work: (calls) => {
      const owner = calls[0]?.owner ?? "";
      return admitRuns(pool, calls.map(withoutOwner), { owner, leaseMs: executor.leaseMs });
    },
    // A connection that was lost says nothing about what was stored, and a message must not be stored twice.
    isInDoubt: (error) => error instanceof AppError && error.code === "SERVICE_UNAVAILABLE",
  });
  return {
    async survey(facts) {
      const hasKey = facts.idempotency_key !== null || facts.client_message_id !== null;
      const survey = hasKey || facts.is_service || facts.agent_ids !== null ? null : await preflightTogether(facts);
      return survey ?? (await preflightAlone(facts));
    },
    planFirstTurn: (survey, wishes) => planFirstTurn({ models, newId }, survey, wishes),
    async admit(facts) {
      const { owner, first_turn: turn } = facts;
      const isPlain = !facts.is_service && facts.idempotency_key === null && facts.client_message_id === null;
      if (owner !== null && turn !== null && isPlain && facts.reply_to_id === null) {
        const admitted = await admitTogether({ ...describePlain(facts, turn, newId), owner });
        if (admitted !== null) return admitted;
      }
      return await admitAlone(facts);
    },
  };
}

function describePlain(facts: AdmissionFacts, turn: FirstTurnFacts, newId: () => string): PlainCall {
  return {
    run_id: newId(),
    sent_id: newId(),
    swarm_id: facts.swarm_id,
    user_id: facts.user_id,
    message: facts.message,
    mentions: facts.mentions,
    metadata: facts.metadata,
    request: facts.request,
    turn_id: turn.turn_id,
    reply_id: turn.message_id,
    agent_id: turn.agent_id,
    speaker_ids: turn.speaker_ids,
    default_models: turn.default_models,
    history_limit: turn.history_limit,
  };
}

function withoutOwner({ owner: _, ...call }: OfferedCall): PlainCall {
  return call;
}
