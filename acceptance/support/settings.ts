/** Settings of the product, by their names in the environment. */
export type ServiceSettings = Readonly<Record<string, string>>;

/** Tests ask more often than a client would, so this is how services are started unless a test says otherwise. */
export const WITHOUT_LIMITS: ServiceSettings = {
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
};

/** The console for the browser has tests of its own; these do without it. */
export const WITHOUT_CONSOLE: ServiceSettings = { CONSOLE: "false" };

/** Password hashes that cost little: these tests ask who may come in, not how long it takes. */
export const QUICK_HASHES: ServiceSettings = {
  AUTH_PASSWORD_MEMORY_KIB: "8192",
  AUTH_PASSWORD_ITERATIONS: "1",
};

/** For tests that ask more often than a client would. */
export const UNHURRIED: ServiceSettings = { ...QUICK_HASHES, ...WITHOUT_LIMITS };

/** Addresses are confirmed by mail, and links lead to the applications of `MAIL_LINKS`. */
export const MAIL_LINKS = { site: "https://app.example/start", allowed: "https://other.example/welcome?from=mail" };
export const MAILING: ServiceSettings = {
  ...QUICK_HASHES,
  AUTH_AUTOCONFIRM: "false",
  AUTH_MAIL_INTERVAL_SECONDS: "0",
  SITE_URL: MAIL_LINKS.site,
  REDIRECT_ALLOW_LIST: "https://other.example/**,myapp://**",
};
