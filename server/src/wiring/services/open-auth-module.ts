import { type AddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import { type AuthContext, createAccountMails, createMailOutbox, openAuth } from "../../auth/index.ts";
import type { Worker } from "../../jobs/index.ts";
import { loadSignInProviders } from "../../sign-in-providers/index.ts";
import type { OpenNodeContext } from "../node-context.ts";

export interface OpenedAuth {
  readonly auth: AuthContext;
  /** Sends the mails of the outbox. */
  readonly outbox: ReturnType<typeof createMailOutbox>;
  /** Sends the mails that requests of users have asked for. */
  readonly accountMails: Worker;
}

/** Few people sign in at the same moment, and each sign-in makes few requests. */
const PROVIDER_CONNECTIONS = 16;
const DOCUMENT_CONNECTIONS = 2;

interface AuthModuleOptions extends Pick<AuthContext, "hooks" | "prepareWithdrawal"> {
  readonly policy: AddressPolicy;
  readonly ca: readonly string[];
}

export async function openAuthModule(
  { settings, environment, database, masterKey, observer, clock, baseUrl, closers, copyHold }: OpenNodeContext,
  { policy, ca, hooks, prepareWithdrawal }: AuthModuleOptions,
): Promise<OpenedAuth> {
  const providers = loadSignInProviders(settings, environment);
  const exemptUrls = providers.map(({ issuer }) => issuer);
  const guarded = openGuardedFetch({ policy, ca, connectionsPerOrigin: PROVIDER_CONNECTIONS, exemptUrls });
  closers.add("connections to identity providers", () => guarded.close());
  const documents = openGuardedFetch({ policy, ca, connectionsPerOrigin: DOCUMENT_CONNECTIONS, exemptUrls: [] });
  closers.add("connections to documents of clients", () => documents.close());
  const auth = await openAuth({
    settings,
    pool: database.service,
    masterKey,
    observer,
    clock,
    baseUrl,
    // The types of the package's fetch and the platform's differ in members that are not used here.
    signIn: { providers, fetch: guarded.fetch as unknown as typeof globalThis.fetch },
    documentFetch: documents.fetch as unknown as typeof globalThis.fetch,
    hooks,
    requireMail: () => copyHold.requireReleased(),
    // The original of a copy still uses the tokens.
    prepareWithdrawal: async (userId) => (copyHold.isHeld ? () => {} : prepareWithdrawal(userId)),
  });
  closers.add("mailer", () => auth.mailer.close());
  closers.add("seen refreshes", () => auth.seenRefreshes.flush());
  closers.add("uses of API keys", () => auth.userKeys.flush());
  return {
    auth,
    outbox: createMailOutbox(auth, { random: Math.random, commits: database.commits }),
    accountMails: createAccountMails(auth, { random: Math.random, commits: database.commits }),
  };
}
