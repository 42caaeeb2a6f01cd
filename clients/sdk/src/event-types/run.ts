// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { RunStatus, RunStopReason } from "../runs.ts";

/** `run.updated`: The status of a run changed: it began, waits for an approval, a result of the client, a time or a signal, or ended. */
export interface RunUpdatedData {
  run_id: string;
  swarm_id: string;
  /** the user who started the run */
  user_id: string | null;
  status: RunStatus;
  stop_reason: RunStopReason | null;
  /** the message that is answered */
  message_id: string | null;
  /** a sample of `test-webhook` */
  test?: true;
}
