import { randomUUID } from "node:crypto";
import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import { ModelError } from "../../../src/errors/index.ts";
import { openRespond, type Respond, type StartOptions } from "../../../src/agents/respond/open-respond.ts";
import type { RunBody } from "../../../src/agents/streams/run-body.ts";
import { openDatabase, type Principal, type UserPrincipal } from "../../../src/db/index.ts";
import type { RunRequest } from "../../../src/agents/admission/run-request.ts";
import type { StartedRun } from "../../../src/agents/execution/execute-run.ts";
import { advanceRuns } from "../../../src/agents/writer/sql/advance-runs.ts";
import { createStreamHub, type OpenStreamHub } from "../../../src/agents/streams/stream-hub.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";

/** The respond module with an executor that only records its calls. */
export interface Stage {
  readonly database: TestDatabase;
  readonly respond: Respond;
  readonly streamHub: OpenStreamHub;
  readonly taken: StartedRun[];
  readonly cancelled: string[];
  /** The pool of the service role. */
  readonly pool: pg.Pool;
  /** Whether this node has capacity for runs. */
  hasCapacity: boolean;
  /** The frameworks of the runs that got capacity, and how many of these did not start. */
  readonly offers: (readonly Framework[])[];
  releasedCount: number;
  /** Called when a run may be queued. */
  onWake: () => void;
  charged: number;
  /** Counts a run that no call starts. */
  chargeStart: (userId: string) => Promise<void>;
  newUser(): Promise<UserPrincipal>;
  newSwarm(
    owner: UserPrincipal,
    more?: { settings?: object; agents?: readonly string[]; strategy?: string },
  ): Promise<Swarm>;
  join(swarm: Swarm, principal: UserPrincipal, role: string): Promise<void>;
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Starts a run in the background and returns it. */
  ask(principal: Principal & { readonly userId: string }, swarm: Swarm, more?: Partial<RunRequest>): Promise<RunBody>;
  /** Ends a run that was started, as its executor would. */
  finish(runId: string, status?: "completed" | "failed" | "cancelled" | "partial", stopReason?: string): Promise<void>;
}

export interface Swarm {
  readonly id: string;
  readonly agentIds: readonly string[];
}

export const WITHOUT_MODEL = "no-such-model";

export async function openStage(t: Cleanup): Promise<Stage> {
  const database = await createTestDatabase(t);
  const { masterKey, adminUrl, owner } = database;
  const pools = openDatabase({ url: adminUrl, masterKey, poolSize: 8, observer: silentObserver });
  t.after(() => pools.close());
  const streamHub = createStreamHub();
  const taken: StartedRun[] = [];
  const cancelled: string[] = [];
  const offers: (readonly Framework[])[] = [];
  const respond = openRespond({
    pool: pools.service,
    streamHub,
    schemas: createSchemaCompiler({ maxKept: 10 }),
    executor: {
      owner: "node",
      leaseMs: 30_000,
      reservePlace: ({ frameworks }) => {
        if (!stage.hasCapacity) return null;
        offers.push(frameworks);
        const release = (): boolean => {
          stage.releasedCount += 1;
          return false;
        };
        return { release };
      },
      take: (run) => {
        streamHub.open(run.runId);
        taken.push(run);
      },
      wake: () => stage.onWake(),
      cancel: (runId) => cancelled.push(runId),
    },
    models: {
      describe: (framework, model) => {
        if (model === WITHOUT_MODEL) throw new ModelError("INVALID_MODEL", "the model does not exist");
        if (framework === "provider_c") throw new ModelError("PROVIDER_NOT_CONFIGURED", "provider_c is not configured");
        return { model: model ?? "default", contextWindow: 1_000, hasTools: true, hasImages: true, isReasoning: false };
      },
    },
    queueLimit: 3,
    queueWaitMs: 300,
    newId: randomUUID,
    countRuns: () => 0,
    chargeStart: (userId) => stage.chargeStart(userId),
    onEvents: () => {},
  });
  t.after(async () => respond.close());

  const rows: Stage["rows"] = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await owner.query(text, [...values])).rows as Row[];
  const stage: Stage = {
    database,
    respond,
    streamHub,
    taken,
    cancelled,
    pool: pools.service,
    hasCapacity: true,
    offers,
    releasedCount: 0,
    onWake: () => {},
    charged: 0,
    chargeStart: async () => {},
    rows,
    newUser: async () => {
      const id = randomUUID();
      await owner.query("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@example.test`]);
      return { role: "authenticated", userId: id, claims: {}, session: null };
    },
    newSwarm: async ({ userId }, { settings = {}, agents = ["Ann"], strategy = "round_robin" } = {}) => {
      const [swarm] = await rows<{ id: string }>(
        "insert into public.swarms (owner_id, name, settings, strategy) values ($1, 'swarm', $2, $3) returning id",
        [userId, settings, strategy],
      );
      const id = swarm?.id ?? "";
      const agentIds: string[] = [];
      for (const [position, name] of agents.entries()) {
        const [agent] = await rows<{ id: string }>(
          "insert into public.agents (user_id, name) values ($1, $2) returning id",
          [userId, name],
        );
        agentIds.push(agent?.id ?? "");
        await owner.query("insert into public.swarm_agents (swarm_id, agent_id, position) values ($1, $2, $3)", [
          id,
          agent?.id,
          position,
        ]);
      }
      return { id, agentIds };
    },
    join: async ({ id }, { userId }, role) => {
      await owner.query(
        "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, $3, 'active')",
        [id, userId, role],
      );
    },
    ask: async (principal, swarm, more = {}) => {
      const answer = await respond.start(principal, requestTo(stage, swarm, more), { ...BACKGROUND, ...LISTENING });
      if (!("body" in answer)) throw new Error("a call in the background was answered with a stream");
      return answer.body;
    },
    finish: async (runId, status = "completed", stopReason = "all_replied") => {
      const [run] = await rows<{ fence: string; swarm_id: string; seq: number }>(
        `select l.fence, r.swarm_id, (select max(e.seq) + 1 from public.run_events e where e.run_id = r.id) as seq
           from private.run_leases l join public.runs r on r.id = l.run_id where r.id = $1`,
        [runId],
      );
      const hold = { runId, swarmId: run?.swarm_id ?? "", fence: Number(run?.fence) };
      const step = { op: "finish_run", seq: run?.seq ?? 0, status, stop_reason: stopReason, error: null } as const;
      const [ended] = await advanceRuns(pools.service, [{ hold, steps: [step], events: [], isRepeated: false }]);
      for (const { seq, type, data } of ended?.results[0]?.events ?? [])
        streamHub.publish({ runId, seq, type, data, agentId: null, isRestricted: false });
      streamHub.close(runId);
    },
  };
  return stage;
}

export const LISTENING = {
  isStreamed: false,
  isReasoningWanted: false,
  afterSeq: 0,
  signal: new AbortController().signal,
} as const;
const BACKGROUND = { isBackground: true, isCancelledOnLeave: false } as const satisfies Partial<StartOptions>;
export const IN_FRONT = { isBackground: false, isCancelledOnLeave: false } as const satisfies Partial<StartOptions>;

export function requestTo(stage: Stage, swarm: Swarm, more: Partial<RunRequest> = {}): RunRequest {
  return {
    swarmId: swarm.id,
    agentId: null,
    conversation: null,
    isNewConversation: false,
    continuesConversation: false,
    namesOverrides: false,
    message: "hello",
    agentIds: null,
    onConflict: null,
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
    fingerprint: JSON.stringify({ swarm, ...more }),
    traceparent: null,
    charge: async () => {
      stage.charged += 1;
    },
    ...more,
  };
}

/** The error code of a call that must be rejected. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return "answered";
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
