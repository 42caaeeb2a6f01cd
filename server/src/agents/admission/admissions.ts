import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { createRunBatcher } from "../batcher.ts";
import type { Queryable } from "../../db/index.ts";
import { type Rejection, toRejectionError } from "../rejections/rejections.ts";
import {
  type Admission,
  type AdmissionCall,
  admitRuns,
  type AdmitOptions,
  type AdmissionAnswer,
  type Preflight,
  preflightPrivateSwarm,
  preflightSwarms,
  type Replay,
} from "./sql/admit-runs.ts";
import { type ResolvedModel, resolveModel } from "./sql/resolve-model.ts";

interface AdmissionsOptions extends AdmitOptions {
  readonly pool: pg.Pool;
  /** How many runs are in progress on this node. */
  countRuns(): number;
}

/** The methods reject with the error that the client gets. */
export interface Admissions {
  preflight(call: AdmissionCall): Promise<Preflight | Replay>;
  admit(call: AdmissionCall): Promise<Admission | Replay>;
  /** A model can name its vendor. */
  resolveModel(named: ResolvedModel): Promise<ResolvedModel>;
}

const MAX_CALLS = 50;

export function openAdmissions({ pool, countRuns, ...options }: AdmissionsOptions): Admissions {
  const preflight = createRunBatcher<AdmissionCall, AdmissionAnswer<Preflight>>({
    maxItems: MAX_CALLS,
    countRuns,
    send: (calls) => preflightSwarms(pool, calls),
  });
  const admit = createRunBatcher<AdmissionCall, AdmissionAnswer<Admission>>({
    maxItems: MAX_CALLS,
    countRuns,
    keysOf: ({ idempotency_key: key, ...call }) => [swarmKeyOf(call), ...(key === null ? [] : [key])],
    send: (calls) => admitRuns(pool, calls, options),
    // After a lost connection the message may be stored, and it must not be stored twice.
    isInDoubt: (error) => error instanceof AppError && error.code === "SERVICE_UNAVAILABLE",
  });
  return toAdmissions(pool, { preflight, admit });
}

/** Admissions within a transaction, one by one. */
export function admitWithin(transaction: Queryable, options: AdmitOptions): Admissions {
  return toAdmissions(transaction, {
    preflight: async (call) => first(await preflightSwarms(transaction, [call])),
    admit: async (call) => first(await admitRuns(transaction, [call], options)),
  });
}

interface Statements {
  preflight(call: AdmissionCall): Promise<AdmissionAnswer<Preflight>>;
  admit(call: AdmissionCall): Promise<AdmissionAnswer<Admission>>;
}

function toAdmissions(database: Queryable, { preflight, admit }: Statements): Admissions {
  const preflightAgent = async (call: AdmissionCall): Promise<Preflight | Replay> => {
    const found = unwrap(await preflightPrivateSwarm(database, call));
    if ("replayed_run_id" in found) return found;
    if ("swarm" in found) return found.swarm;
    const answer = await preflight({ ...call, swarm_id: found.swarm_id });
    const isDeleted = "rejection" in answer && answer.rejection.code === "SWARM_NOT_FOUND";
    return isDeleted ? preflightAgent(call) : unwrap(answer);
  };
  return {
    preflight: async (call) => (call.swarm_id === null ? preflightAgent(call) : unwrap(await preflight(call))),
    admit: async (call) => unwrap(await admit(call)),
    resolveModel: (named) => resolveModel(database, named),
  };
}

function first<T>([answer]: readonly (T | null)[]): T {
  if (answer === null || answer === undefined) throw new Error("a statement for one call returned no answer");
  return answer;
}

function unwrap<T extends object>(answer: T | { readonly rejection: Rejection }): T {
  if ("rejection" in answer) throw toRejectionError(answer.rejection);
  return answer;
}

/** Calls with the same key can have the same swarm. Each conversation has a new one. */
function swarmKeyOf(
  call: Pick<AdmissionCall, "swarm_id" | "agent_id" | "user_id" | "conversation" | "run_id">,
): string {
  if (call.conversation !== null) return call.run_id;
  return call.swarm_id ?? `${call.user_id} ${call.agent_id}`;
}
