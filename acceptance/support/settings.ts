/** Settings of the product, by environment variable. */
export type ServiceSettings = Readonly<Record<string, string>>;

/** The default settings of services: tests send more requests than the limits allow. */
export const WITHOUT_LIMITS: ServiceSettings = {
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
};

/** The console has separate tests. */
export const WITHOUT_CONSOLE: ServiceSettings = { CONSOLE_ENABLED: "false" };

/** Cheap password hashes, because these tests do not measure their strength. */
export const QUICK_HASHES: ServiceSettings = {
  AUTH_PASSWORD_MEMORY_KIB: "8192",
  AUTH_PASSWORD_ITERATIONS: "1",
};

/** For tests that send more requests than the limits allow. */
export const UNLIMITED: ServiceSettings = { ...QUICK_HASHES, ...WITHOUT_LIMITS };

/** Addresses are confirmed by mail, and links lead to the applications of `MAIL_LINKS`. */
export const MAIL_LINKS = { site: "https://app.example/start", allowed: "https://other.example/welcome?from=mail" };
export const MAILING: ServiceSettings = {
  ...QUICK_HASHES,
  AUTH_AUTOCONFIRM: "false",
  AUTH_MAIL_INTERVAL_SECONDS: "0",
  SITE_URL: MAIL_LINKS.site,
  REDIRECT_ALLOW_LIST: "https://other.example/**,myapp://**",
};
