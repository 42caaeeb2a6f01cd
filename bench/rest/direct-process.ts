import { type Database, openDatabase, runPipelined, type TransactionScope } from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { answerParent } from "./child.ts";
import type { Round } from "./contender.ts";
import { openPlanner, type PlannedTransaction } from "./direct-transactions.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { chooseTargets, type Population } from "./population.ts";

export type DirectQuestion =
  | {
      readonly kind: "open";
      readonly url: string;
      readonly masterKey: string;
      readonly population: Population;
      readonly concurrency: number;
      readonly poolSize: number;
    }
  | { readonly kind: "run"; readonly operation: Operation; readonly durationMs: number };

interface Opened {
  readonly database: Database;
  readonly concurrency: number;
  readonly transactions: ReadonlyMap<Operation, readonly PlannedTransaction[]>;
}

let opened: Opened | null = null;
let next = 0;

answerParent(async (question: DirectQuestion): Promise<Round | null> => {
  switch (question.kind) {
    case "open": {
      const { url, masterKey, population, concurrency, poolSize } = question;
      const observer = createObserver({ level: "fatal", format: "json" });
      const database = openDatabase({ url, masterKey, poolSize, observer });
      const plan = await openPlanner(database);
      const targets = chooseTargets(population);
      const transactions = new Map(
        OPERATIONS.map((operation) => [operation, targets.map((target) => plan(operation, target))]),
      );
      opened = { database, concurrency, transactions };
      return null;
    }
    case "run":
      if (opened === null) throw new Error("nothing is open");
      return run(opened, question.operation, question.durationMs);
  }
});

async function run(
  { database, concurrency, transactions }: Opened,
  operation: Operation,
  durationMs: number,
): Promise<Round> {
  const list = transactions.get(operation) ?? [];
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const transaction = list[next % list.length];
      next += 1;
      if (transaction === undefined) throw new Error(`nothing to do for ${operation}`);
      await runTransaction(database, transaction.scope, transaction);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { requests: count, seconds: (performance.now() - startedAt) / 1000, loadShare: 0 };
}

async function runTransaction(
  database: Database,
  scope: TransactionScope,
  { statement, expected }: PlannedTransaction,
): Promise<void> {
  const [result] = await runPipelined(database.user, { scope, statements: [statement] });
  const body = result?.rows.map(([record]) => record).join() ?? "";
  if (!body.includes(expected)) throw new Error(`expected ${expected}, got ${body.slice(0, 500)}`);
}
