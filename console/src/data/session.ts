import type { Session, User } from "@supabase/supabase-js";
import { getClient, getConfig } from "./client.ts";
import { createStore, useStore } from "./store.ts";

interface SessionState {
  /** Null when no user is signed in or the second factor is missing. */
  readonly session: Session | null;
  /** The password was correct and a code of the authenticator app is required. */
  readonly needsSecondFactor: boolean;
  /** The session ended without a sign-out. */
  readonly hasExpired: boolean;
  /** The user opened a recovery link and must set a new password. */
  readonly isRecovering: boolean;
}

const sessionState = createStore<SessionState>({
  session: null,
  needsSecondFactor: false,
  hasExpired: false,
  isRecovering: false,
});
let isSigningOut = false;
let hasHadSession = false;
let onSignedOut: () => void = () => {};
let returnedError: ReturnedError | null = null;

/** With which error a provider, or the link of a mail, opened the page. */
interface ReturnedError {
  /** Of the service. */
  readonly code: string | undefined;
  /** Of OAuth. */
  readonly error?: string;
}

export function useSessionState(): SessionState {
  return useStore(sessionState);
}

/** Whether nobody has an account yet. The configuration is that of the moment when the page was loaded. */
export function isFirstStart(): boolean {
  return getConfig().isFirstStart && !hasHadSession;
}

/** Null when no user is signed in. It may have expired: requests of supabase-js renew it, so use those where possible. */
export function getAccessToken(): string | null {
  return sessionState.get().session?.access_token ?? null;
}

/** The signed-in user; inside the shell there always is one. */
export function useUser(): User {
  const { session } = useSessionState();
  if (session === null) throw new Error("a page of the shell was rendered without a session");
  return session.user;
}

export function getReturnedError(): ReturnedError | null {
  return returnedError;
}

export function dropReturnedError(): void {
  returnedError = null;
}

/** Loads the stored session, or exchanges the code of a link from a mail, and tracks changes of the session. */
export async function startSession(onEnd: () => void): Promise<void> {
  onSignedOut = onEnd;
  const { auth } = getClient();
  auth.onAuthStateChange((event, session) => {
    if (event === "PASSWORD_RECOVERY") sessionState.set({ ...sessionState.get(), isRecovering: true });
    // supabase-js holds a lock during this callback, so calls of the auth client would deadlock.
    setTimeout(() => void applySession(session), 0);
  });
  const { error } = await auth.initialize();
  if (error !== null) {
    returnedError = "details" in error ? (error.details as ReturnedError | null) : { code: error.code };
    // Its parameters are neither copied nor shown again.
    history.replaceState(history.state, "", location.pathname);
  }
  const { data } = await auth.getSession();
  await applySession(data.session);
}

let signOuts = 0;

async function applySession(session: Session | null): Promise<void> {
  const before = sessionState.get();
  if (session === null) {
    signOuts += 1;
    const hasExpired = before.session !== null && !isSigningOut;
    sessionState.set({
      session: null,
      needsSecondFactor: false,
      hasExpired: hasExpired || before.hasExpired,
      isRecovering: false,
    });
    if (before.session !== null || before.needsSecondFactor) onSignedOut();
    isSigningOut = false;
    return;
  }
  hasHadSession = true;
  const signOutsBefore = signOuts;
  const { data } = await getClient().auth.mfa.getAuthenticatorAssuranceLevel();
  // The user signed out during the request.
  if (signOutsBefore !== signOuts) return;
  const needsSecondFactor = data?.nextLevel === "aal2" && data.currentLevel !== "aal2";
  sessionState.set({
    session: needsSecondFactor ? null : session,
    needsSecondFactor,
    hasExpired: false,
    isRecovering: sessionState.get().isRecovering,
  });
}

export function endRecovery(): void {
  sessionState.set({ ...sessionState.get(), isRecovering: false });
}

const endings = new Set<() => Promise<void>>();

/** Registers work that needs the session, to be done before the user signs out. */
export function beforeSignOut(work: () => Promise<void>): void {
  endings.add(work);
}

export async function signOut(scope: "local" | "global" | "others" = "local"): Promise<void> {
  if (scope !== "others") await Promise.allSettled([...endings].map((work) => work()));
  isSigningOut = scope !== "others";
  const { error } = await getClient().auth.signOut({ scope });
  // The service may have ended the session already; end it in this browser in any case.
  if (error !== null && scope !== "others") await getClient().auth.signOut({ scope: "local" });
}

let revalidation: Promise<void> | null = null;

/** Refreshes the token once after a rejected request; signs out when that fails. */
export function revalidateSession(): Promise<void> {
  revalidation ??= (async () => {
    const { auth } = getClient();
    // Ignore a 401 for a user who has signed out since.
    const { data } = await auth.getSession();
    if (data.session === null) return;
    const { error } = await auth.refreshSession();
    if (error !== null && error.status !== undefined && error.status >= 400) await auth.signOut({ scope: "local" });
  })().finally(() => {
    revalidation = null;
  });
  return revalidation;
}
