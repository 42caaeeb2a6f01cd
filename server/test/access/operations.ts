import { AGENT_OPERATIONS } from "./operations/agent-operations.ts";
import { EVAL_OPERATIONS } from "./operations/eval-operations.ts";
import { EXTENSION_OPERATIONS } from "./extension-access.ts";
import { HIDDEN_OPERATIONS } from "./operations/hidden-operations.ts";
import { MESSAGE_OPERATIONS } from "./operations/message-operations.ts";
import { PEOPLE_OPERATIONS } from "./operations/people-operations.ts";
import type { TableOperations } from "./operations/rows.ts";
import { RUN_OPERATIONS } from "./operations/run-operations.ts";
import { SWARM_OPERATIONS } from "./operations/swarm-operations.ts";

/** The statement behind each line of the matrix. `:caller` is the caller's id, `:callerSpare` their spare agent. */
export const OPERATIONS: Readonly<Record<string, TableOperations>> = {
  ...PEOPLE_OPERATIONS,
  ...AGENT_OPERATIONS,
  ...SWARM_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...RUN_OPERATIONS,
  ...EVAL_OPERATIONS,
  ...HIDDEN_OPERATIONS,
  ...EXTENSION_OPERATIONS,
};
