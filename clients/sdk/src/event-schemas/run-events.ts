import { RUN_STATUSES, RUN_STOP_REASONS } from "../runs.ts";
import type { EventDescription } from "./event-description.ts";
import { EXAMPLE } from "./example-values.ts";
import { oneOf, orNull, record, uuid } from "./json-schema.ts";

export const RUN_EVENTS = {
  "run.updated": {
    summary:
      "The status of a run changed: it began, waits for an approval, a result of the client, a time or a signal, or ended.",
    audience: "the active members of the swarm; when the run begins to wait, also whoever decides on its tool calls",
    data: record({
      run_id: uuid(),
      swarm_id: uuid(),
      user_id: orNull(uuid("the user who started the run")),
      status: oneOf(RUN_STATUSES),
      stop_reason: orNull(oneOf(RUN_STOP_REASONS)),
      message_id: orNull(uuid("the message that is answered")),
    }),
    example: {
      run_id: EXAMPLE.run,
      swarm_id: EXAMPLE.swarm,
      user_id: EXAMPLE.ada,
      status: "requires_action",
      stop_reason: null,
      message_id: EXAMPLE.message,
    },
  },
} as const satisfies Record<string, EventDescription>;
