import type { ExtensionDatabase } from "../route-port.ts";

const BATCH = 200;
const SETTLE = "select last, is_complete from private.settle_extension_runs($1, $2, $3)";

interface Settled {
  readonly last: string | null;
  readonly is_complete: boolean;
}

/**
 * Gives each run of the extension that has ended to the function `settle_run(run_id, source_id)` of its schema, as triggers on
 * `runs` with `private.note_ended_run` have noted them. False means that the outcomes of some could not be written yet.
 */
export async function settleEndedRuns(
  database: Pick<ExtensionDatabase, "asService">,
  extension: string,
  signal: AbortSignal,
): Promise<boolean> {
  let isComplete = true;
  let after: string | null = null;
  do {
    const values: readonly unknown[] = [extension, after, BATCH];
    const [settled]: readonly Settled[] = await database.asService((query) => query<Settled>(SETTLE, values));
    isComplete &&= settled?.is_complete !== false;
    after = settled?.last ?? null;
  } while (after !== null && !signal.aborted);
  return isComplete;
}
