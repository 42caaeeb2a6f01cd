import { type Authentication, ensureKeys, loadKeys, ruleOf } from "../../../src/auth/index.ts";
import type { AuthResponse, AuthCall, AuthEndpoint } from "../../../src/auth/call.ts";
import { NO_HOOKS } from "../../../src/auth/hooks/open-hooks.ts";
import { ClientDocuments } from "../../../src/auth/oauth/clients/client-documents.ts";
import type { Mail } from "../../../src/auth/mail/mail.ts";
import { SignInProviders, type SignInProvidersOptions } from "../../../src/auth/providers/sign-in-providers.ts";
import { createPasswordHasher, type PasswordHasher } from "../../../src/auth/passwords/password-hasher.ts";
import { authenticate } from "../../../src/auth/principal/authenticate.ts";
import { openDatabase } from "../../../src/db/index.ts";
import type { AuthContext } from "../../../src/auth/auth-context.ts";
import type { Settings } from "../../../src/config/index.ts";
import { openKeyRing } from "../../../src/auth/tokens/key-ring.ts";
import { ACCOUNT_MAILS, sendDueMails } from "../../../src/auth/outbox/outbox-worker.ts";
import { WakeUp } from "../../../src/jobs/index.ts";
import { PortalTokens } from "../../../src/auth/portal/portal-tokens.ts";
import { SeenRefreshes } from "../../../src/auth/sessions/seen-refreshes.ts";
import { VerifiedUserKeys } from "../../../src/auth/user-keys/verified-user-keys.ts";
import { VerifiedTokens } from "../../../src/auth/tokens/verified-tokens.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { WAIT_MS } from "../../support/wait-limit.ts";
import { buildAuthSettings } from "./auth-settings.ts";
import { findEndpoint } from "./endpoints.ts";
import { createSettableClock, type SettableClock } from "./settable-clock.ts";

/** The lowest costs that the settings allow, because tests hash often. */
export const TEST_HASH_PARAMETERS = { memoryKib: 8192, iterations: 1, parallelism: 1 };

interface CallOptions {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** An access token or one of the two keys. Without it, the principal is anon. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
  readonly userAgent?: string | null;
  /** Overrides for the context, as on another node. */
  readonly node?: Partial<AuthContext>;
}

export interface TestAuthContext {
  readonly context: AuthContext;
  readonly database: TestDatabase;
  /** Everything that was sent, oldest first. */
  readonly mails: Mail[];
  readonly clock: SettableClock;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** Paths as under /auth/v1, without query: "/signup". Fails with the error that the endpoint throws. */
  call(method: AuthEndpoint["method"], path: string, options?: CallOptions): Promise<AuthResponse>;
}

export interface AuthContextOverrides {
  readonly settings?: Partial<Settings>;
  readonly hasher?: PasswordHasher;
  readonly baseUrl?: string;
  /** Called before a mail counts as sent; can throw, as an unavailable mail server does. */
  readonly onMail?: (mail: Mail) => void | Promise<void>;
  readonly signIn?: Pick<SignInProvidersOptions, "providers" | "fetch">;
  readonly documentFetch?: typeof fetch;
  readonly prepareWithdrawal?: AuthContext["prepareWithdrawal"];
}

/** Opens the context on a separate database, and calls endpoints as the HTTP adapter does. */
export async function createAuthContext(t: Cleanup, overrides: AuthContextOverrides = {}): Promise<TestAuthContext> {
  const database = await createTestDatabase(t);
  const { masterKey } = database;
  const clock = createSettableClock();
  await ensureKeys(database.owner, { masterKey, clock });
  const noOverrides = { anonKeyOverride: null, serviceRoleKeyOverride: null };
  const keys = await loadKeys(database.owner, { masterKey, clock, ...noOverrides });
  const pools = openDatabase({ url: database.adminUrl, masterKey, poolSize: 5, observer: silentObserver });
  t.after(() => pools.close());
  // On a busy machine, many concurrent calls can wait longer for a connection.
  Object.assign(pools.service.options, { connectionTimeoutMillis: WAIT_MS });

  const seenRefreshes = new SeenRefreshes(pools.service, silentObserver);
  const mails: Mail[] = [];
  const context: AuthContext = {
    pool: pools.service,
    clock,
    observer: silentObserver,
    settings: buildAuthSettings(overrides.settings ?? {}),
    baseUrl: overrides.baseUrl ?? "https://localhost:8443",
    masterKey,
    portalTokens: new PortalTokens({ masterKey, clock }),
    keyRing: await openKeyRing({ pool: pools.service, masterKey, clock, observer: silentObserver, ...noOverrides }),
    verifiedTokens: new VerifiedTokens({ onVerified: ({ claims }) => seenRefreshes.note(claims) }),
    clientDocuments: new ClientDocuments({
      pool: pools.service,
      clock,
      observer: silentObserver,
      baseUrl: () => context.baseUrl,
      fetch: overrides.documentFetch ?? (() => Promise.reject(new Error("no documents here"))),
    }),
    hooks: NO_HOOKS,
    userKeys: new VerifiedUserKeys({ pool: pools.service, clock, observer: silentObserver, isAal2Required: true }),
    seenRefreshes,
    signInProviders: new SignInProviders({ ...(overrides.signIn ?? { providers: [], fetch }), clock }),
    mailWakeUp: new WakeUp(),
    prepareWithdrawal: overrides.prepareWithdrawal ?? (async () => () => {}),
    // Threads that hash have a low priority, and wait long for a busy machine.
    hasher: overrides.hasher ?? createPasswordHasher({ ...TEST_HASH_PARAMETERS, maxWaitMs: WAIT_MS }),
    mailer: {
      send: async (mail) => {
        await overrides.onMail?.(mail);
        mails.push(mail);
      },
      checkReady: async () => {},
      close: async () => {},
    },
  };

  const call: TestAuthContext["call"] = async (method, path, options = {}) => {
    const { endpoint, params } = findEndpoint(method, path);
    const authorization = options.token === undefined ? undefined : `Bearer ${options.token}`;
    const rule = { ...ruleOf(endpoint), isBearerIgnored: false };
    const node = { ...context, ...options.node };
    const authentication = await authenticate(node, rule, { apikey: keys.anonKey, authorization });
    const answer = await endpoint.run(node, buildCall(authentication, params, options));
    const { hooks, mailer } = node;
    // As the worker does that the call wakes.
    while ((await sendDueMails({ ...context, hooks, mailer }, ACCOUNT_MAILS)) > 0);
    return answer;
  };
  return { context, database, mails, clock, call, anonKey: keys.anonKey, serviceRoleKey: keys.serviceRoleKey };
}

function buildCall(
  { principal, user, lacksSecondFactor }: Authentication,
  params: Record<string, string>,
  options: CallOptions,
): AuthCall {
  // As in the adapter, the body was parsed from JSON: it has no undefined members, and `__proto__` is an ordinary name.
  const body: unknown = options.body === undefined ? {} : JSON.parse(JSON.stringify(options.body));
  return {
    query: options.query ?? {},
    search: new URLSearchParams(JSON.parse(JSON.stringify(options.query ?? {}))).toString(),
    params,
    body,
    headers: options.headers ?? {},
    address: options.address ?? "127.0.0.1",
    userAgent: options.userAgent ?? null,
    principal,
    user,
    lacksSecondFactor,
  };
}
