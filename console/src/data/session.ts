import type { Session, User } from "@supabase/supabase-js";
import { getClient } from "./client.ts";
import { createStore, useStore } from "./store.ts";

export interface RateLimitState {
  /** Null when nobody is signed in, or somebody is who still owes a second factor. */
  readonly session: Session | null;
  /** The password was right and a code of the app is still to be given. */
  readonly needsSecondFactor: boolean;
  /** A session ended by itself, not by signing out: worth a word. */
  readonly hasExpired: boolean;
  /** A recovery link was followed: a new password is to be set. */
  readonly isRecovering: boolean;
}

const standing = createStore<RateLimitState>({
  session: null,
  needsSecondFactor: false,
  hasExpired: false,
  isRecovering: false,
});
let isLeaving = false;
let onLeft: () => void = () => {};

export function useSessionState(): RateLimitState {
  return useStore(standing);
}

/** Inside the shell somebody is always signed in. */
export function useUser(): User {
  const { session } = useSessionState();
  if (session === null) throw new Error("a page of the shell was rendered without a session");
  return session.user;
}

/** Reads the stored session, or the code that a link from a mail has brought, and follows it from then on. */
export async function startSession(whenLeft: () => void): Promise<void> {
  onLeft = whenLeft;
  const { auth } = getClient();
  auth.onAuthStateChange((event, session) => {
    if (event === "PASSWORD_RECOVERY") standing.set({ ...standing.get(), isRecovering: true });
    // The library holds its lock during this call, so that nothing may be asked of it before it returns.
    setTimeout(() => void follow(session), 0);
  });
  const { data } = await auth.getSession();
  await follow(data.session);
}

let departures = 0;

async function follow(session: Session | null): Promise<void> {
  const before = standing.get();
  if (session === null) {
    departures += 1;
    const hasExpired = before.session !== null && !isLeaving;
    standing.set({
      session: null,
      needsSecondFactor: false,
      hasExpired: hasExpired || before.hasExpired,
      isRecovering: false,
    });
    if (before.session !== null) onLeft();
    isLeaving = false;
    return;
  }
  const departed = departures;
  const { data } = await getClient().auth.mfa.getAuthenticatorAssuranceLevel();
  // Who has left while this was asked stays away.
  if (departed !== departures) return;
  const needsSecondFactor = data?.nextLevel === "aal2" && data.currentLevel !== "aal2";
  standing.set({
    session: needsSecondFactor ? null : session,
    needsSecondFactor,
    hasExpired: false,
    isRecovering: standing.get().isRecovering,
  });
}

export function endRecovery(): void {
  standing.set({ ...standing.get(), isRecovering: false });
}

export async function signOut(scope: "local" | "global" | "others" = "local"): Promise<void> {
  isLeaving = scope !== "others";
  const { error } = await getClient().auth.signOut({ scope });
  // The service may have ended the session already; it is over here either way.
  if (error !== null && scope !== "others") await getClient().auth.signOut({ scope: "local" });
}

let asking: Promise<void> | null = null;

/** A token was refused. A new one is asked for once; where there is none, the session is over. */
export function questionSession(): Promise<void> {
  asking ??= (async () => {
    const { auth } = getClient();
    // An answer to somebody who has left meanwhile says nothing about who comes in next.
    const { data } = await auth.getSession();
    if (data.session === null) return;
    const { error } = await auth.refreshSession();
    if (error !== null && error.status !== undefined && error.status >= 400) await auth.signOut({ scope: "local" });
  })().finally(() => {
    asking = null;
  });
  return asking;
}
