import { Failure, NEEDS_PROOF, toFailure } from "./failure.ts";
import { createStore, useStore } from "./store.ts";

interface AskedProof {
  /** `isProven` is false when the user declines. */
  settle(isProven: boolean): void;
}

const asked = createStore<AskedProof | null>(null);
let waiting: Promise<boolean> | null = null;

/** What the dialog of the shell answers; null while no call needs a proof. */
export function useAskedProof(): AskedProof | null {
  return useStore(asked);
}

/** Ends the question when the user signs out. */
export function declineProof(): void {
  asked.get()?.settle(false);
}

/** Makes the call, and if it needs a proof of the user, asks for one and makes it again. Throws a Failure for an error. */
export async function callWithProof<Output>(call: () => Promise<Output>): Promise<Output> {
  try {
    return await call();
  } catch (error) {
    const failure = await toFailure(error);
    if (failure.code !== NEEDS_PROOF) throw failure;
    if (await askForProof()) return call();
    throw new Failure("Nothing was changed, because you did not confirm that it is you.", { cause: failure });
  }
}

/** Calls that wait at the same time share one dialog. */
function askForProof(): Promise<boolean> {
  waiting ??= new Promise<boolean>((settle) => asked.set({ settle })).finally(() => {
    waiting = null;
    asked.set(null);
  });
  return waiting;
}
