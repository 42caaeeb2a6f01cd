import pg from "pg";
import { requireScope, type UserPrincipal, type Queryable } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Models } from "../providers/open-models.ts";
import { admitWithin } from "./admissions.ts";
import { planRun } from "./plan-run.ts";
import type { RunOrigin } from "./run-origin.ts";
import type { RunRequest } from "./run-request.ts";
import { type AdmitOptions, requireKeyTarget } from "./sql/admit-runs.ts";
import {
  markOutsideSender,
  openRunStart,
  recordRunStart,
  type RunStarter,
  type RunStartKey,
  type StarterKey,
} from "./sql/open-run-start.ts";

interface QueuePorts {
  readonly models: Pick<Models, "describe">;
  readonly admission: AdmitOptions;
  newId(): string;
  /** Counts the run against the rate limit of the user. Throws when the limit is reached. */
  charge(userId: string): Promise<void>;
}

/** A run that an extension starts for a user, without a call of theirs. */
export interface QueuedRun extends RunStartKey, RunStarter {
  /** Null means the conversation of `agentId` and of what starts the run. */
  readonly swarmId: string | null;
  readonly agentId: string | null;
  readonly isNewConversation: boolean;
  readonly message: string;
  readonly origin: RunOrigin;
}

export interface QueuedAnswer {
  readonly runId: string;
  readonly swarmId: string;
  /** The key has started the run before: nothing was stored. */
  readonly isRepeated: boolean;
  /** Webhook events were stored. */
  readonly hasEvents: boolean;
}

const REPLAYED = "a request without an idempotency key and the id of a client repeats no other one";
/** SQLSTATE classes of a value that PostgreSQL cannot store or that breaks a rule of its table. */
const INVALID_VALUE = /^2[23]/;

/**
 * Stores a message and a queued run in a transaction of somebody else, with the rights and limits that the user has now. An error
 * leaves the transaction as it was, unless the database is unavailable.
 */
export async function queueRun(ports: QueuePorts, transaction: Queryable, run: QueuedRun): Promise<QueuedAnswer> {
  await transaction.query("savepoint queue_run");
  try {
    const answer = await store(ports, transaction, run);
    await transaction.query("release savepoint queue_run");
    return answer;
  } catch (error) {
    await transaction.query("rollback to savepoint queue_run").catch(() => {});
    throw error instanceof pg.DatabaseError && INVALID_VALUE.test(error.code ?? "")
      ? new AppError("VALIDATION_ERROR", "The run cannot be stored", {
          details: { [error.column ?? "message"]: "is not valid" },
          cause: error,
        })
      : error;
  }
}

async function store(ports: QueuePorts, transaction: Queryable, run: QueuedRun): Promise<QueuedAnswer> {
  const found = await openRunStart(transaction, run, run);
  if (found === null)
    throw new AppError("UNAUTHORIZED", `The ${run.apiKeyId === null ? "account" : "account or its API key"} has ended`);
  if ("run_id" in found) return { runId: found.run_id, swarmId: found.swarm_id, isRepeated: true, hasEvents: false };
  const principal = toPrincipal(run.userId, found.api_key);
  requireScope(principal, "run");
  await requireKeyTarget(transaction, principal, run);
  // Also when it is rejected: what starts runs may try again without end.
  await ports.charge(run.userId);
  const admissions = admitWithin(transaction, ports.admission);
  const planned = await planRun({ ...ports, admissions }, principal, toRequest(run));
  if ("replayed_run_id" in planned) throw new Error(REPLAYED);
  const admission = await admissions.admit(planned.call);
  if ("replayed_run_id" in admission) throw new Error(REPLAYED);
  const { startedBy, outside } = run.origin;
  if (outside !== null) await markOutsideSender(transaction, admission.run_id, { startedBy, ...outside });
  const swarmId = await recordRunStart(transaction, run, admission.run_id);
  return { runId: admission.run_id, swarmId, isRepeated: false, hasEvents: admission.has_events };
}

/** The user, with the rights of the key if there is one, and without a session: nobody is signed in. */
function toPrincipal(userId: string, key: StarterKey | null): UserPrincipal {
  const claims = { sub: userId, role: "authenticated" };
  if (key === null) return { role: "authenticated", userId, claims, session: null };
  const { id, scopes, resources } = key;
  const session = { userId, sessionId: id, inactivitySeconds: 0 };
  return { role: "authenticated", userId, claims: { ...claims, api_key_id: id }, session, scopes, resources };
}

function toRequest(run: QueuedRun): RunRequest {
  const { swarmId, agentId, isNewConversation, message, origin } = run;
  return {
    swarmId,
    agentId,
    agentIds: agentId === null ? null : [agentId],
    isNewConversation,
    message,
    origin,
    charge: async () => {},
    // It waits for a run of a person, whatever a swarm does with messages of people.
    onConflict: "enqueue",
    conversation: null,
    continuesConversation: false,
    namesOverrides: false,
    maxTurns: null,
    responseSchema: null,
    clientTools: [],
    toolChoice: null,
    images: [],
    replyToId: null,
    clientMessageId: null,
    regenerates: null,
    metadata: {},
    idempotencyKey: null,
    fingerprint: "",
    traceparent: null,
  };
}
