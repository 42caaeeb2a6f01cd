import type pg from "pg";
import type { Settings } from "../config/index.ts";
import type { UserPrincipal } from "../db/index.ts";
import type { WakeUp } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { AuthHooks } from "./hooks/open-hooks.ts";
import type { Mailer } from "./mail/mail.ts";
import type { ClientRow } from "./sql/oauth-clients.ts";
import type { PasswordHasher } from "./passwords/password-hasher.ts";
import type { SignInProviders } from "./providers/sign-in-providers.ts";
import type { KeyRing } from "./tokens/key-ring.ts";
import type { VerifiedTokens } from "./tokens/verified-tokens.ts";

/** What endpoints depend on. */
export interface AuthContext {
  /** Connects as the service's login, the only one that reads the identity tables. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly settings: Settings;
  /** The public URL of the service; tokens are issued by `${baseUrl}/auth/v1`. */
  readonly baseUrl: string;
  readonly masterKey: string;
  readonly keyRing: KeyRing;
  readonly verifiedTokens: VerifiedTokens;
  /** The principals of API keys; `flush` writes when keys were used. */
  readonly userKeys: { verify(key: string): Promise<UserPrincipal>; flush(): Promise<void> };
  /** The tokens of portals, and their principals. */
  readonly portalTokens: {
    make(userId: string): { readonly token: string; readonly expiresAt: Date };
    verify(token: string): UserPrincipal;
  };
  /** `flush` writes which access tokens have been used since the last time. */
  readonly seenRefreshes: { flush(): Promise<void> };
  readonly hasher: PasswordHasher;
  readonly signInProviders: SignInProviders;
  /** Clients that a document describes: returns the stored row or that of a new reading. */
  readonly clientDocuments: {
    find(id: string, stored: ClientRow | null): Promise<ClientRow | null>;
    faultOf(id: string): string | null;
  };
  readonly hooks: AuthHooks;
  readonly mailer: Mailer;
  /** Makes this node send the mails that requests have asked for. */
  readonly mailWakeUp: WakeUp;
  /** Reads what the user has granted the service elsewhere. The result withdraws it; it is called when the account is gone. */
  prepareWithdrawal(userId: string): Promise<() => void>;
}
