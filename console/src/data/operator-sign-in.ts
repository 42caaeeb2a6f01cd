import { useOperatorRead, useOperatorWrite } from "./operator.ts";
import type { ReadResult } from "./rows.ts";
import type { Write } from "./write.ts";

export interface SignInCheck {
  readonly ok: boolean;
  readonly message: string;
  readonly checked_at: string;
}

export interface ServiceSignInProvider {
  readonly name: string;
  readonly label: string;
  readonly kind: string;
  readonly issuer: string | null;
  readonly client_id: string;
  readonly callback_url: string;
  /** The latest one that this node knows. */
  readonly check: SignInCheck | null;
}

const PATH = "/sign-in-providers";

export function useServiceSignInProviders(): ReadResult<{ readonly providers: readonly ServiceSignInProvider[] }> {
  return useOperatorRead(PATH);
}

/** One real request for the metadata and the keys of the provider. */
export function useCheckSignInProvider(name: string): Write<void, SignInCheck> {
  return useOperatorWrite("audit", () => ({ method: "POST", path: `${PATH}/${encodeURIComponent(name)}/check` }));
}

export interface ServiceHook {
  readonly name: string;
  readonly kind: "sql" | "http";
  readonly target: string;
  /** What happens to the sign-in, or the other call, while the hook does not answer. */
  readonly policy: "deny" | "continue";
  readonly timeout_ms: number;
  readonly failures: readonly { readonly at: string; readonly reason: string; readonly count: number }[];
}

export function useServiceHooks(): ReadResult<{ readonly hooks: readonly ServiceHook[] }> {
  return useOperatorRead("/hooks");
}
