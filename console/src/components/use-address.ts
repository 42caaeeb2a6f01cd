import { useCallback } from "react";
import { useSearchParams } from "react-router";

/**
 * Synchronously: with a deferred update the router would drop letters that are typed meanwhile, and the next change would be
 * based on an address without this one.
 */
const OPTIONS = { replace: true, flushSync: true } as const;

export interface Address {
  readonly address: URLSearchParams;
  /** Changes some parameters. An empty value removes one. */
  change(parameters: Readonly<Record<string, string>>): void;
  /** Removes all parameters but one. */
  clear(kept?: string): void;
}

/** The parameters of the address, where pages keep filters and what is open. */
export function useAddress(): Address {
  const [address, setAddress] = useSearchParams();
  const change = useCallback(
    (parameters: Readonly<Record<string, string>>) =>
      setAddress((old) => {
        for (const [name, value] of Object.entries(parameters)) {
          if (value === "") old.delete(name);
          else old.set(name, value);
        }
        return old;
      }, OPTIONS),
    [setAddress],
  );
  const clear = useCallback(
    (kept = "") => setAddress((old) => (old.has(kept) ? { [kept]: old.get(kept) ?? "" } : {}), OPTIONS),
    [setAddress],
  );
  return { address, change, clear };
}
