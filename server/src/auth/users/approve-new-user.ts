import { newRowId } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthContext } from "../auth-context.ts";
import { readDecision } from "../hooks/hook.ts";
import { findUserByEmail } from "../sql/users.ts";
import { type Approval, APPROVED, EMAIL_APP_METADATA, NOT_ASKED } from "./create-user.ts";
import { mergeMetadata } from "./metadata.ts";

export interface Newcomer {
  /** Null for an anonymous account, and where an identity provider gives no verified address. */
  readonly email: string | null;
  /** As the client sent it. */
  readonly data?: unknown;
  /** Default: that of an account with this address. */
  readonly appMetadata?: Readonly<Record<string, unknown>>;
  /** The client's; undefined where no request is under way. */
  readonly address: string | undefined;
}

/** Asks the hook, before the transaction that creates the account. Throws what the client gets. */
export async function approveNewUser(
  { hooks, clock }: Pick<AuthContext, "hooks" | "clock">,
  { email, data = {}, appMetadata = email === null ? {} : EMAIL_APP_METADATA, address }: Newcomer,
): Promise<Approval> {
  const hook = hooks.before_user_created;
  if (hook === null) return APPROVED;
  const now = clock.now();
  const id = newRowId(now);
  const user = {
    id,
    aud: "authenticated",
    role: "authenticated",
    email: email ?? "",
    phone: "",
    app_metadata: appMetadata,
    user_metadata: mergeMetadata({}, data),
    identities: [],
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    is_anonymous: appMetadata["provider"] === undefined,
  };
  const decision = await hook.ask({ event: { user }, address, read: (answer) => readDecision(answer, "continue") });
  if (decision?.isRejected === true) throw authError("hook_refused", decision.message);
  return { id };
}

/** The same for calls that also find accounts, about which the hook is not asked. */
export async function approveUnlessKnown(
  context: Pick<AuthContext, "hooks" | "clock" | "pool">,
  newcomer: Newcomer & { readonly email: string },
): Promise<Approval> {
  if (context.hooks.before_user_created === null) return APPROVED;
  if ((await findUserByEmail(context.pool, newcomer.email)) !== null) return NOT_ASKED;
  return approveNewUser(context, newcomer);
}
