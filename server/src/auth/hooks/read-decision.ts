import type { JsonRecord } from "../../json/index.ts";
import { HookFault } from "./hook-fault.ts";

export const MAX_MESSAGE_CHARS = 500;

export interface Decision {
  readonly isRejected: boolean;
  /** For the client; undefined: the message of the error's code. */
  readonly message: string | undefined;
  readonly shouldLogOut: boolean;
}

/** Without `absent`, a hook that says nothing has decided nothing. */
export function readDecision(answer: JsonRecord, absent?: "continue"): Decision {
  const { decision = absent, message, should_logout_user: logOut } = answer;
  if (decision !== "continue" && decision !== "reject") throw new HookFault("no decision");
  return {
    isRejected: decision === "reject",
    message: typeof message === "string" && message !== "" ? message.slice(0, MAX_MESSAGE_CHARS) : undefined,
    // The documentation of Supabase has it as a text.
    shouldLogOut: logOut === true || logOut === "true",
  };
}
