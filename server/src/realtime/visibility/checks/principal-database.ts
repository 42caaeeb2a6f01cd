import { Semaphore } from "@swarmbase/concurrency";
import { type Database, type Principal, runPipelined, transactionScopeOf } from "../../../db/index.ts";
import { AppError } from "../../../errors/index.ts";
import { SET_TEXT_FORMS } from "../rendering/sql/select-values.ts";
import { checkRows } from "./sql/check-statements.ts";

export interface PrincipalDatabaseLimits {
  /** The search path for unqualified names in policies. */
  readonly schemas: readonly string[];
  readonly policyTimeoutMs: number;
  readonly maxConcurrentPolicies: number;
}

/** Per user: more than the joins of all their channels need, but not enough to keep the database busy for long. */
const MAX_WAITING = 5_000;

/** Queries as the principal, in a read-only transaction with a timeout. */
export class PrincipalDatabase {
  readonly #database: Database;
  readonly #limits: PrincipalDatabaseLimits;
  readonly #semaphore: Semaphore;

  constructor(database: Database, limits: PrincipalDatabaseLimits) {
    this.#database = database;
    this.#limits = limits;
    this.#semaphore = new Semaphore({
      permits: limits.maxConcurrentPolicies,
      maxPerKey: Math.max(1, Math.floor(limits.maxConcurrentPolicies / 2)),
      maxWaiting: MAX_WAITING,
      overloadError: () =>
        new AppError("RATE_LIMITED", "Too many checks of access are waiting. Try again shortly.", {
          retryAfterSeconds: 1,
        }),
    });
  }

  async check(principal: Principal, statement: string, images: readonly string[]): Promise<readonly boolean[]> {
    // A separate key, so that checks do not wait behind the joins of the same principal.
    const [, result] = await this.run(principal, [SET_TEXT_FORMS, checkRows(statement, images)], "rows");
    return (result?.rows ?? []).map(([isVisible]) => isVisible === "t");
  }

  async run(
    principal: Principal,
    statements: Parameters<typeof runPipelined>[1]["statements"],
    purpose: "joins" | "rows" = "joins",
  ): ReturnType<typeof runPipelined> {
    const { role, userId } = principal;
    const pool = role === "service_role" ? this.#database.service : this.#database.user;
    const scope = transactionScopeOf(principal, {
      schemas: this.#limits.schemas,
      statementTimeoutMs: this.#limits.policyTimeoutMs,
      isReadOnly: true,
      request: { method: "GET", path: "/realtime/v1/websocket", headers: {} },
    });
    const key = `${purpose} ${role} ${userId ?? ""}`;
    // A check that waits too long loses its change, so it does not wait behind long requests of the same principal.
    const transaction = { scope, statements, resetAfter: true, share: "realtime" };
    return this.#semaphore.run(() => runPipelined(pool, transaction), { key });
  }
}
