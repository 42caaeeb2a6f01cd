import type pg from "pg";
import type { Settings } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { PasswordHasher } from "./passwords/hasher.ts";
import type { KeyRing } from "./tokens/key-ring.ts";
import type { VerifiedTokens } from "./tokens/verified-tokens.ts";

export type Queryable = Pick<pg.ClientBase, "query">;

export type AuthSettings = Pick<
  Settings,
  | "console"
  | "siteUrl"
  | "redirectAllowList"
  | "authAutoconfirm"
  | "authSignupEnabled"
  | "authAnonymousEnabled"
  | "authAccessTokenSeconds"
  | "authRefreshReuseSeconds"
  | "authSessionTimeboxSeconds"
  | "authSessionInactivitySeconds"
  | "authOtpExpirySeconds"
  | "authOtpLength"
  | "authMailIntervalSeconds"
  | "authPasswordMinLength"
  | "authPasswordCharacters"
  | "authReauthenticate"
  | "authSecureEmailChange"
  | "authMfaMaxFactors"
  | "smtpUrl"
>;

/** What endpoints depend on. */
export interface AuthContext {
  /** Connects as the service's login, the only one that reads the identity tables. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly settings: AuthSettings;
  /** The public URL of the service; tokens are issued by `${baseUrl}/auth/v1`. */
  readonly baseUrl: string;
  readonly masterKey: string;
  readonly keyRing: KeyRing;
  readonly verifiedTokens: VerifiedTokens;
  readonly hasher: PasswordHasher;
  readonly mailer: Mailer;
}
