import type { AuthContext } from "../auth-context.ts";
import { type LinkKind, linkTypeOf } from "./one-time-kind.ts";

export interface LinkParts {
  readonly kind: LinkKind;
  readonly tokenHash: string;
  /** Chosen with `chooseRedirect`. */
  readonly redirectTo: string;
}

/** The address behind the button of a mail. */
export function buildLink(
  { baseUrl }: Pick<AuthContext, "baseUrl">,
  { kind, tokenHash, redirectTo }: LinkParts,
): string {
  const query = new URLSearchParams({ token: tokenHash, type: linkTypeOf(kind), redirect_to: redirectTo });
  return `${baseUrl}/auth/v1/verify?${query.toString()}`;
}
