import { AppError } from "../../errors/index.ts";

/** One answer for unknown, revoked and expired keys: the difference would only help somebody who tries keys. */
export function invalidKeyError(isOfProgram: boolean): AppError {
  const subject = isOfProgram ? "token of the program" : "API key";
  const message = `The ${subject} does not exist, has expired or was revoked`;
  return new AppError("UNAUTHORIZED", message, {
    upstreamCode: "PGRST301",
    headers: { "x-sb-error-code": "bad_jwt" },
    members: { error_code: "bad_jwt", msg: message },
  });
}
