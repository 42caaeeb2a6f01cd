import type pg from "pg";
import { Semaphore } from "../../../concurrency/index.ts";
import { type Database, type Principal, runPipelined, scopeOf } from "../../../db/index.ts";
import { AppError } from "../../../errors/index.ts";
import { SET_TEXT_FORMS } from "./sql/canonical-values.ts";
import { checkRows } from "./sql/check-rows.ts";

export interface CallerDatabaseOptions {
  readonly database: Pick<Database, "user" | "service">;
  readonly schemas: readonly string[];
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
}

/** Per user: more than the joins of all their channels need, but not enough to keep the database busy for long. */
const MAX_WAITING = 5_000;

/** Queries as the caller, in a read-only transaction with a timeout. */
export class CallerDatabase {
  readonly #options: CallerDatabaseOptions;
  readonly #semaphore: Semaphore;

  constructor(options: CallerDatabaseOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore({
      permits: options.maxConcurrent,
      maxPerKey: Math.max(1, Math.floor(options.maxConcurrent / 2)),
      maxWaiting: MAX_WAITING,
      overloadError: () =>
        new AppError("RATE_LIMITED", "Too much is being asked at once. Try again shortly.", { retryAfterSeconds: 1 }),
    });
  }

  async check(caller: Principal, statement: string, images: readonly string[]): Promise<readonly boolean[]> {
    // A separate key, so that checks do not wait behind the joins of the same caller.
    const [, result] = await this.run(caller, [SET_TEXT_FORMS, checkRows(statement, images)], "rows");
    return (result?.rows ?? []).map(([isVisible]) => isVisible === "t");
  }

  async run(
    caller: Principal,
    statements: Parameters<typeof runPipelined>[1]["statements"],
    purpose: "joins" | "rows" = "joins",
  ): ReturnType<typeof runPipelined> {
    const key = `${purpose} ${caller.role} ${caller.userId ?? ""}`;
    const { schemas, timeoutMs } = this.#options;
    const scope = scopeOf(caller, {
      schemas,
      statementTimeoutMs: timeoutMs,
      isReadOnly: true,
      request: { method: "GET", path: "/realtime/v1/websocket", headers: {} },
    });
    return this.#semaphore.run(() => runPipelined(this.#poolOf(caller), { scope, statements, resetAfter: true }), {
      key,
    });
  }

  #poolOf({ role }: Principal): pg.Pool {
    const { user, service } = this.#options.database;
    return role === "service_role" ? service : user;
  }
}
