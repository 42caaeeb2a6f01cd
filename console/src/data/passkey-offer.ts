import { createStore, useStore } from "./store.ts";

const isDue = createStore(false);
const STORED = "swarmbase.passkey-offered";

/** After a sign-in with a password. */
export function offerPasskey(): void {
  isDue.set(true);
}

/** Whether to offer a passkey: once to each user in this browser. */
export function usePasskeyOffer(userId: string): boolean {
  return useStore(isDue) && localStorage.getItem(`${STORED}.${userId}`) === null;
}

/** The user has answered. */
export function endPasskeyOffer(userId: string): void {
  localStorage.setItem(`${STORED}.${userId}`, new Date().toISOString());
  isDue.set(false);
}
