import type { Client } from "pg";
import type { Item } from "./item.ts";
import { listDifferences, planSteps, type Step } from "./plan-steps.ts";
import { selectItems } from "./sql/select-items.ts";

interface Changes {
  /** Applied in this order, they make the scratch database equal to the target. */
  readonly statements: readonly string[];
  /** What still differs afterwards, with the reason where there is one. */
  readonly leftovers: readonly string[];
}

/** A pass can cause further differences: a view that was dropped for the change of a column, rights that a new object got by default. */
const MOST_PASSES = 5;

/**
 * Finds the statements that make the scratch database equal to the target, by applying them to it in one transaction. Objects
 * depend on each other in ways that no fixed order covers, so statements that fail are tried again while any succeeds.
 */
export async function findChanges(scratch: Client, target: readonly Item[]): Promise<Changes> {
  await scratch.query("begin");
  const statements: string[] = [];
  let failures: readonly string[] = [];
  let { items } = await selectItems(scratch);
  for (let pass = 0; pass < MOST_PASSES && listDifferences(items, target).length > 0; pass += 1) {
    const outcome = await applyWhatGoes(scratch, planSteps(items, target));
    failures = outcome.failures;
    statements.push(...outcome.applied);
    if (outcome.applied.length === 0) break;
    ({ items } = await selectItems(scratch));
  }
  const differences = listDifferences(items, target);
  await scratch.query("rollback");
  const leftovers = differences.map((key) => failures.find((failure) => failure.startsWith(`${key}: `)) ?? key);
  return { statements, leftovers };
}

async function applyWhatGoes(
  scratch: Client,
  steps: readonly Step[],
): Promise<{ readonly applied: readonly string[]; readonly failures: readonly string[] }> {
  const applied: string[] = [];
  let waiting = steps;
  for (;;) {
    const failed: Step[] = [];
    const failures: string[] = [];
    for (const step of waiting) {
      const outcome = await applyStep(scratch, step);
      if (typeof outcome === "string") {
        failed.push(step);
        failures.push(`${step.key}: ${outcome}`);
      } else applied.push(...outcome);
    }
    if (failed.length === 0 || failed.length === waiting.length) return { applied, failures };
    waiting = failed;
  }
}

/** Resolves with the statements that were accepted, or with the message of the error. */
async function applyStep(scratch: Client, { alternatives }: Step): Promise<readonly string[] | string> {
  let message = "PostgreSQL has no statement for this change";
  for (const statements of alternatives.filter((list) => list.length > 0)) {
    await scratch.query("savepoint step");
    try {
      for (const statement of statements) await scratch.query(statement);
      await scratch.query("release savepoint step");
      return statements;
    } catch (error) {
      await scratch.query("rollback to savepoint step");
      message = error instanceof Error ? error.message : String(error);
    }
  }
  return message;
}
