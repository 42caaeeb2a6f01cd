import type { ErrorCode } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";
import { isWriteAttempt } from "../../rest/index.ts";
import { faultsError } from "../faults-error.ts";
import { placeOf, type RejectedAttempt } from "./rejected-attempt.ts";

interface Named {
  readonly code: ErrorCode;
  readonly noun: string;
}

/** Without a code of its own: the column is not valid. */
interface Unnamed {
  readonly code: null;
  readonly noun: string;
}

const AGENT: Named = { code: "AGENT_NOT_FOUND", noun: "agent" };
const SWARM: Named = { code: "SWARM_NOT_FOUND", noun: "swarm" };
const MESSAGE: Named = { code: "MESSAGE_NOT_FOUND", noun: "message" };
const RUN: Named = { code: "RUN_NOT_FOUND", noun: "run" };

/** What a column references. All other columns reference users. */
const NAMED: ReadonlyMap<string, Named | Unnamed> = new Map<string, Named | Unnamed>([
  ["agent_id", AGENT],
  ["coordinator_agent_id", AGENT],
  ["sender_agent_id", AGENT],
  ["tool_id", { code: "TOOL_NOT_FOUND", noun: "tool" }],
  ["swarm_id", SWARM],
  ["message_id", MESSAGE],
  ["reply_to_id", MESSAGE],
  ["run_id", RUN],
  ["agent_version", { code: null, noun: "version of the agent" }],
  ["dataset_id", { code: null, noun: "dataset" }],
  ["case_id", { code: null, noun: "case" }],
  ["eval_run_id", { code: null, noun: "eval run" }],
  ["baseline_run_id", { code: null, noun: "eval run" }],
]);

/** The row references something that does not exist. */
export function explainReference(rejection: RejectedAttempt): AppError | null {
  const { error, attempt, rule } = rejection;
  const column = /^(.+)_fkey$/.exec(error.constraint ?? "")?.[1]?.slice(`${rule?.name ?? ""}_`.length);
  if (rule === null || column === undefined || !isWriteAttempt(attempt) || !Object.hasOwn(rule.fields, column))
    return null;
  const named = NAMED.get(column);
  if (named?.code) return unknownReferenceError(rejection, { ...named, column });
  const message = named === undefined ? "names a user who does not exist" : `names no ${named.noun} that exists`;
  return faultsError([{ place: placeOf(rejection, column), message, code: null }], attempt.operation);
}

export function unknownReferenceError(
  rejection: RejectedAttempt,
  { code, noun, column }: Named & { readonly column: string },
): AppError {
  const details = { [placeOf(rejection, column)]: `names no ${noun} that exists` };
  return new AppError(code, `The ${noun} does not exist`, { details, cause: rejection.error });
}
