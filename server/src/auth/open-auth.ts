import type pg from "pg";
import type { Settings } from "../config/index.ts";
import { WakeUp } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { Mailer } from "./mail/mail.ts";
import { type AuthHooks, NO_HOOKS } from "./hooks/open-hooks.ts";
import { createMailer } from "./mail/mailer.ts";
import { createHookMailer } from "./outbox/hook-mailer.ts";
import { createPasswordHasher } from "./passwords/password-hasher.ts";
import type { AuthContext } from "./auth-context.ts";
import { ClientDocuments } from "./oauth/clients/client-documents.ts";
import { PortalTokens } from "./portal/portal-tokens.ts";
import { SignInProviders, type SignInProvidersOptions } from "./providers/sign-in-providers.ts";
import { SeenRefreshes } from "./sessions/seen-refreshes.ts";
import { openKeyRing } from "./tokens/key-ring.ts";
import { VerifiedTokens } from "./tokens/verified-tokens.ts";
import { sendsMails } from "./users/account-rules.ts";
import { VerifiedUserKeys } from "./user-keys/verified-user-keys.ts";

interface OpenAuthOptions {
  readonly settings: Settings;
  readonly pool: pg.Pool;
  readonly masterKey: string;
  /** Called when it is needed: with PORT=0 the URL is known only after the service listens. */
  baseUrl(): string;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly signIn: Pick<SignInProvidersOptions, "providers" | "fetch">;
  /** Reaches only what the address policy allows, because anybody chooses the address. */
  readonly documentFetch: typeof globalThis.fetch;
  /** Default: none. */
  readonly hooks?: AuthHooks;
  /** Throws while mails are held. */
  requireMail?(): void;
  /** Default: users grant nothing elsewhere. */
  readonly prepareWithdrawal?: AuthContext["prepareWithdrawal"];
}

/** Opens what endpoints depend on. The caller runs `keyRing.watch` and closes the mailer. */
export async function openAuth(options: OpenAuthOptions): Promise<AuthContext> {
  const { settings, pool, masterKey, observer, clock, baseUrl, hooks = NO_HOOKS } = options;
  const { anonKey: anonKeyOverride, serviceRoleKey: serviceRoleKeyOverride } = settings;
  const keyRing = await openKeyRing({ pool, masterKey, clock, observer, anonKeyOverride, serviceRoleKeyOverride });
  const hasher = createPasswordHasher({
    memoryKib: settings.authPasswordMemoryKib,
    iterations: settings.authPasswordIterations,
    parallelism: settings.authPasswordParallelism,
  });
  const ownMailer = await createMailer({ settings, observer, clock });
  const { send_email: hook } = hooks;
  const mailer = hook === null ? ownMailer : createHookMailer({ hook, pool, baseUrl, fallback: ownMailer });
  const seenRefreshes = new SeenRefreshes(pool, observer);
  return {
    pool,
    clock,
    observer,
    settings,
    get baseUrl() {
      return baseUrl();
    },
    masterKey,
    keyRing,
    verifiedTokens: new VerifiedTokens({ onVerified: ({ claims }) => seenRefreshes.note(claims) }),
    userKeys: new VerifiedUserKeys({
      pool,
      clock,
      observer,
      isAal2Required: settings.authMfaEnforce,
      onProgram: (claims) => seenRefreshes.note(claims),
    }),
    portalTokens: new PortalTokens({ masterKey, clock }),
    seenRefreshes,
    hasher,
    signInProviders: new SignInProviders({ ...options.signIn, clock }),
    clientDocuments: new ClientDocuments({ pool, clock, observer, baseUrl, fetch: options.documentFetch }),
    hooks,
    mailWakeUp: new WakeUp(),
    prepareWithdrawal: options.prepareWithdrawal ?? (async () => () => {}),
    mailer: guardMailer(mailer, options),
  };
}

/** Mails that are written to files need no permission. */
function guardMailer(mailer: Mailer, { settings, requireMail }: OpenAuthOptions): Mailer {
  if (!sendsMails(settings) || requireMail === undefined) return mailer;
  return {
    send: async (mail) => {
      requireMail();
      await mailer.send(mail);
    },
    checkReady: async () => {
      requireMail();
      await mailer.checkReady();
    },
    close: () => mailer.close(),
  };
}
