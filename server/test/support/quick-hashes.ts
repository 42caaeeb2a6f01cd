/** For the environment of services under test, whose password hashes nobody attacks. */
export const QUICK_HASHES = { AUTH_PASSWORD_MEMORY_KIB: "8192", AUTH_PASSWORD_ITERATIONS: "1" } as const;
