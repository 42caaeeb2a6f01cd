import type pg from "pg";
import { Semaphore } from "../../concurrency/index.ts";
import { type Database, type Principal, runPipelined, scopeOf } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { SET_TEXT_FORMS } from "./sql/canonical-values.ts";
import { judgeImages } from "./sql/judge-images.ts";
import type { Question } from "./lane.ts";

export interface AskDatabaseOptions {
  readonly database: Pick<Database, "user" | "service">;
  readonly schemas: readonly string[];
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
}

/** Of one user: more than joins of all their channels need, less than would keep the database busy for long. */
const MAX_WAITING = 5_000;

/** Asks as the caller, in a transaction that can change nothing and lasts only so long. */
export class AskDatabase {
  readonly #options: AskDatabaseOptions;
  readonly #semaphore: Semaphore;

  constructor(options: AskDatabaseOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore({
      permits: options.maxConcurrent,
      maxPerKey: Math.max(1, Math.floor(options.maxConcurrent / 2)),
      maxWaiting: MAX_WAITING,
      overloadError: () =>
        new AppError("RATE_LIMITED", "Too much is being asked at once. Try again shortly.", { retryAfterSeconds: 1 }),
    });
  }

  async judge(caller: Principal, question: Question, images: readonly string[]): Promise<readonly boolean[]> {
    // Not behind what the same caller asks for in joins, of which nobody in particular may be very many.
    const [, result] = await this.run(caller, [SET_TEXT_FORMS, judgeImages(question.text, images)], "rows");
    return (result?.rows ?? []).map(([answer]) => answer === "t");
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
