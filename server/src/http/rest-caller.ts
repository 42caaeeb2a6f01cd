import type { Principal } from "../auth/index.ts";
import type { RestCaller } from "../rest/index.ts";

const ANON: RestCaller = { role: "anon", userId: null, claims: { role: "anon" }, session: null };
const SERVICE: RestCaller = { role: "service_role", userId: null, claims: { role: "service_role" }, session: null };
const signed = new WeakMap<Principal, RestCaller>();
const unsigned = new WeakMap<Principal, RestCaller>();

export interface RestCallerOptions {
  readonly inactivitySeconds: number;
  /** Whether the user's demand for signatures, if there is one, is still to be met. */
  readonly isUnsigned: boolean;
}

/** A user acts as one whatever role the token names: no token can name its way to more. */
export function toRestCaller(principal: Principal, { inactivitySeconds, isUnsigned }: RestCallerOptions): RestCaller {
  switch (principal.kind) {
    case "anon":
      return ANON;
    case "service":
      return SERVICE;
    case "user": {
      const callers = isUnsigned ? unsigned : signed;
      const known = callers.get(principal);
      if (known !== undefined) return known;
      const { userId, sessionId, claims } = principal;
      const caller: RestCaller = {
        role: "authenticated",
        userId,
        claims: { ...claims, role: "authenticated" },
        session: { userId, sessionId, inactivitySeconds, isUnsigned },
      };
      callers.set(principal, caller);
      return caller;
    }
  }
}
