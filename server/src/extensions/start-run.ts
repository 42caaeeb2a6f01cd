import type { ErrorCode } from "@swarmbase/sdk";
import type { Respond } from "../agents/index.ts";
import { AppError } from "../errors/index.ts";
import { isRecord } from "../json/index.ts";
import type { Clock } from "../time/index.ts";
import { getTransaction } from "./extension-database.ts";
import type { ExtensionContext, Query, RunStart, RunStartAnswer } from "./port.ts";

interface StartRunOptions {
  /** The name of the extension. */
  readonly extension: string;
  readonly clock: Clock;
  /** Called per start: the modules are opened after the extensions. */
  getRespond(): Pick<Respond, "queue" | "announce">;
  /** Throws in a restored copy, which must not do what its original does. */
  requireReleased(): void;
}

/** What the user, or whoever pays, may do again later. */
const LIMITS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["RATE_LIMITED", "BUDGET_EXCEEDED", "SWARM_BUSY"]);
/** Nothing is wrong with the start. */
const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["SERVICE_UNAVAILABLE", "INTERNAL_ERROR"]);
const MAX_CAUSE_BYTES = 4_096;
const DAY_MS = 86_400_000;

export function createStartRun(options: StartRunOptions): ExtensionContext["startRun"] {
  const { extension, clock, getRespond, requireReleased } = options;
  return async (userId: string, start: RunStart, key: string, transaction: Query): Promise<RunStartAnswer> => {
    requireReleased();
    const { client, afterCommit } = getTransaction(transaction);
    const { agentId = null, swarmId = null, cause, apiKeyId = null, budget = null, outside = null } = start;
    requireStart(start);
    try {
      const queued = await getRespond().queue(client, {
        extension,
        key,
        userId,
        apiKeyId,
        agentId,
        swarmId,
        message: start.message,
        isNewConversation: start.conversation === "new",
        origin: {
          startedBy: `${extension} ${cause.id}`,
          cause: { extension, ...cause },
          outside,
          budget: budget && { maxTokens: budget.maxTokens ?? null, maxCostUsd: budget.maxCostUsd ?? null },
        },
      });
      const { runId, swarmId: startedIn, isRepeated } = queued;
      if (!isRepeated) afterCommit.push(() => getRespond().announce(queued));
      return { outcome: "started", runId, swarmId: startedIn, isRepeated };
    } catch (error) {
      if (!(error instanceof AppError) || FAULTS.has(error.code)) throw error;
      const { code, message, extra } = error;
      if (!LIMITS.has(code)) return { outcome: "rejected", code, message };
      // Budgets are those of a day of UTC.
      const retryAfterSeconds =
        extra.retryAfterSeconds ?? Math.ceil((DAY_MS - (clock.now().getTime() % DAY_MS)) / 1000);
      return { outcome: "limited", code, message, retryAfterSeconds };
    }
  };
}

/** A fault of the extension, not of its user. */
function requireStart({ agentId, swarmId, message, cause }: RunStart): void {
  if ((typeof agentId === "string") === (typeof swarmId === "string"))
    throw new TypeError("startRun needs either agentId or swarmId");
  if (typeof message !== "string") throw new TypeError("startRun needs a message");
  if (!isRecord(cause) || typeof cause.type !== "string" || typeof cause.id !== "string")
    throw new TypeError("startRun needs a cause with type and id");
  if (Buffer.byteLength(JSON.stringify(cause)) > MAX_CAUSE_BYTES)
    throw new TypeError(`the cause of a run has at most ${MAX_CAUSE_BYTES} bytes`);
}
