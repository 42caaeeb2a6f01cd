import { type ServiceSettings, WITHOUT_LIMITS } from "./service.ts";

/** Password hashes that cost little: these tests ask who may come in, not how long it takes. */
export const QUICK_HASHES: ServiceSettings = {
  AUTH_PASSWORD_MEMORY_KIB: "8192",
  AUTH_PASSWORD_ITERATIONS: "1",
};

/** For tests that ask more often than a client would. */
export const UNHURRIED: ServiceSettings = { ...QUICK_HASHES, ...WITHOUT_LIMITS };
