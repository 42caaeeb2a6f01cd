import type { Framework } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";
import { type GivenKey, readGivenKey, VENDORS } from "./known-vendors.ts";
import type { Providers } from "./provider.ts";
import type { ProviderTest } from "./provider-checks.ts";

/** What became of a key that a user has given. A key that does not work is a result and not an error of the call. */
export interface AddedProvider {
  readonly framework: Framework;
  /** The vendor, for people. */
  readonly name: string;
  readonly is_stored: boolean;
  readonly test: Pick<ProviderTest, "is_ok" | "message" | "model" | "duration_ms">;
}

export interface ProviderSetup {
  /** Whether a user may give the service its first key. */
  isAllowed(): boolean;
  /** Throws an AppError when it is not allowed, or the text is no key. */
  add(text: string, vendor: string | null, signal: AbortSignal): Promise<AddedProvider>;
}

interface ProviderSetupOptions {
  /** Whether only the developer reaches the service. */
  readonly isOpen: boolean;
  current(): Providers;
  test(given: GivenKey, signal: AbortSignal): Promise<AddedProvider["test"]>;
  /** Resolves when this process uses the key. */
  store(given: GivenKey): Promise<void>;
}

/** The first key of a service, for its first page: afterwards the command line changes keys, so that no other user can. */
export function createProviderSetup({ isOpen, current, test, store }: ProviderSetupOptions): ProviderSetup {
  const isAllowed = (): boolean => isOpen && Object.values(current()).every(({ kind }) => kind === "simulated");
  const requireAllowed = (): void => {
    if (!isAllowed()) throw new AppError("FORBIDDEN", "Keys of providers are added with: swarmbase provider add");
  };
  return {
    isAllowed,
    async add(text, vendor, signal) {
      requireAllowed();
      const given = readGivenKey(text, vendor);
      if ("fault" in given) throw new AppError("VALIDATION_ERROR", given.fault, { details: { api_key: given.fault } });
      const result = await test(given, signal);
      requireAllowed();
      if (result.is_ok) await store(given);
      const { is_ok, message, model, duration_ms } = result;
      const { framework } = given;
      const { title: name } = VENDORS[framework];
      return { framework, name, is_stored: is_ok, test: { is_ok, message, model, duration_ms } };
    },
  };
}
