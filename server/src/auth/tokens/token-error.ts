import { AppError } from "../../errors/index.ts";

/** The faults of a bearer token, with PostgREST's code. GoTrue uses bad_jwt for all of them. */
const TOKEN_FAULTS = {
  malformed: { upstreamCode: "PGRST301", message: "invalid JWT: unable to parse or verify signature" },
  expired: { upstreamCode: "PGRST303", message: "JWT expired" },
  not_yet_valid: { upstreamCode: "PGRST303", message: "JWT is not yet valid" },
  wrong_audience: { upstreamCode: "PGRST303", message: "JWT is for another audience" },
  wrong_resource: { upstreamCode: "PGRST303", message: "The token of the program is for another resource" },
  bad_claims: { upstreamCode: "PGRST303", message: "JWT claims are not valid" },
  no_user: { upstreamCode: "PGRST303", message: "invalid claim: missing sub claim" },
} as const satisfies Record<string, { upstreamCode: string; message: string }>;

type TokenFault = keyof typeof TOKEN_FAULTS;

/**
 * One error for all clients: our code, PostgREST's in `Proxy-Status`, GoTrue's in `error_code`. The message does not
 * say whether the form, the algorithm, the key or the signature is wrong, because only forgers would profit.
 */
export function tokenError(fault: TokenFault): AppError {
  const { upstreamCode, message } = TOKEN_FAULTS[fault];
  return new AppError("UNAUTHORIZED", message, {
    upstreamCode,
    headers: { "x-sb-error-code": "bad_jwt" },
    members: { error_code: "bad_jwt", msg: message },
  });
}
