import { AppError } from "../../errors/index.ts";
import { selectFilterFaults, selectTestedEvents, type TestedEvent } from "../sql/test-filter.ts";
import type { WebhookTools } from "../webhook-options.ts";
import type { CallerId } from "./webhook-access.ts";

interface TestFilterCall {
  readonly callerId: CallerId;
  readonly filter: Readonly<Record<string, unknown>>;
  /** Whose events; the service role has to name the user. */
  readonly userId?: string | undefined;
}

function sqlStateOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Which of the last events of the user would pass a filter. */
export async function testFilter({ pool }: WebhookTools, call: TestFilterCall): Promise<TestedEvent[]> {
  const { callerId, userId = callerId } = call;
  if (callerId !== null && userId !== callerId) throw new AppError("FORBIDDEN", "These are events of somebody else.");
  if (userId === null)
    throw new AppError("VALIDATION_ERROR", "The user is missing.", { details: { user_id: "is required" } });
  const filter = JSON.stringify(call.filter);
  const details = await selectFilterFaults(pool, filter).catch((error: unknown) => {
    // Texts that PostgreSQL cannot store.
    if (sqlStateOf(error).startsWith("22")) return { filter: "has a text that cannot be stored" };
    throw error;
  });
  if (details !== null) throw new AppError("VALIDATION_ERROR", "The filter is not valid.", { details });
  return selectTestedEvents(pool, userId, filter);
}
