import { setting } from "./setting-row.ts";

export const ACCOUNT_SETTINGS = {
  SITE_URL: setting(
    { kind: "http-url", default: null },
    "Address of the application: the target of links in mails unless a request names another one. Defaults to `PUBLIC_URL`.",
  ),
  REDIRECT_ALLOW_LIST: setting(
    { kind: "url-patterns", default: [] },
    "Further addresses that links in mails and sign-ins at identity providers may redirect to. `SITE_URL` is always allowed.",
  ),
  AUTH_AUTOCONFIRM: setting(
    { kind: "boolean", default: null },
    "Whether new accounts are confirmed without a mail. Defaults to `true` without `SMTP_URL`, and to `false` with it.",
  ),
  AUTH_SIGNUP_ENABLED: setting({ kind: "boolean", default: true }, "Whether people may create accounts themselves."),
  AUTH_ANONYMOUS_ENABLED: setting(
    { kind: "boolean", default: true },
    "Whether people may sign in without an e-mail address.",
  ),
  AUTH_PROVIDERS_FILE: setting(
    { kind: "path", default: null },
    "JSON file with the identity providers that people can sign in with, by name: `google`, `github`, `azure` (Microsoft), `apple`, or any name with an `issuer`. Members: `client_id`, `client_secret`, `issuer`, `label`, `scopes`, `audiences`, and for Apple `team_id`, `key_id`, `private_key`. The variables `AUTH_<NAME>_CLIENT_ID`, `AUTH_<NAME>_CLIENT_SECRET`, `AUTH_<NAME>_ISSUER`, `AUTH_<NAME>_TEAM_ID`, `AUTH_<NAME>_KEY_ID` and `AUTH_<NAME>_PRIVATE_KEY` complete the file or replace it. One name stands for one issuer: give another issuer another name, because identities of the one are refused from the other.",
  ),
  AUTH_ACCESS_TOKEN_TTL_SECONDS: setting(
    { kind: "integer", min: 60, max: 86_400, default: 3600 },
    "Lifetime of an access token.",
  ),
  AUTH_REFRESH_REUSE_SECONDS: setting(
    { kind: "integer", min: 0, max: 3600, default: 10 },
    "Time after a refresh during which an older refresh token still returns the current one; later, its use ends the session.",
  ),
  AUTH_REFRESH_PREVIOUS: setting(
    { kind: "choice", choices: ["until-seen", "always"], default: "until-seen" },
    "How long the refresh token before the current one is accepted: until the client has presented the current tokens and `AUTH_REFRESH_REUSE_SECONDS` are over, or always.",
  ),
  AUTH_SESSION_TTL_SECONDS: setting(
    { kind: "integer", min: 0, max: 315_360_000, default: 0 },
    "Maximum lifetime of a session; 0 means no limit.",
  ),
  AUTH_SESSION_IDLE_TTL_SECONDS: setting(
    { kind: "integer", min: 0, max: 315_360_000, default: 0 },
    "Time after which a session without a refresh ends; 0 means never.",
  ),
  AUTH_RETENTION_DAYS: setting(
    { kind: "integer", min: 0, max: 3650, default: 30 },
    "Days after which an ended session is removed; 0 keeps it.",
  ),
  AUTH_AUDIT_RETENTION_DAYS: setting(
    { kind: "integer", min: 0, max: 3650, default: 90 },
    "Days after which an entry of `auth.audit_log_entries` is removed; 0 keeps it.",
  ),
  OAUTH_CONSENT_URL: setting(
    { kind: "http-url", default: null },
    "Page that asks people whether they let a program in; it gets `authorization_id`. Defaults to `/oauth/consent` of the console, or of `SITE_URL` without one.",
  ),
  OAUTH_REFRESH_TTL_DAYS: setting(
    { kind: "integer", min: 1, max: 3650, default: 30 },
    "Days after its last refresh until a program must ask the person again.",
  ),
  API_KEYS_PER_USER: setting(
    { kind: "integer", min: 0, max: 1_000, default: 20 },
    "Maximum number of API keys that one user may have; 0 switches API keys off for new ones.",
  ),
  API_KEY_MAX_TTL_DAYS: setting(
    { kind: "integer", min: 0, max: 3650, default: 0 },
    "Days after which an API key expires at the latest; 0 means that a key needs no expiry.",
  ),
  INVITATION_TTL_DAYS: setting(
    { kind: "integer", min: 0, max: 3650, default: 30 },
    "Days after which an [invitation to a swarm](../guides/swarms.md) expires; 0 means never. A change applies to new invitations.",
  ),
  AUTH_OTP_TTL_SECONDS: setting(
    { kind: "integer", min: 60, max: 86_400, default: 86_400 },
    "Lifetime of codes and links in mails.",
  ),
  AUTH_OTP_LENGTH: setting({ kind: "integer", min: 6, max: 10, default: 6 }, "Number of digits of a code in a mail."),
  AUTH_PASSWORD_MIN_LENGTH: setting(
    { kind: "integer", min: 6, max: 1024, default: 6 },
    "Minimum length of a password in characters.",
  ),
  AUTH_PASSWORD_CHARACTERS: setting(
    {
      kind: "choice",
      choices: ["any", "letters-digits", "lower-upper-digits", "lower-upper-digits-symbols"],
      default: "any",
    },
    "Classes of characters that a password must contain, each at least once.",
  ),
  AUTH_PASSWORD_MEMORY_KIB: setting(
    { kind: "integer", min: 8192, max: 4_194_304, default: 19_456 },
    "Memory cost of a password hash (argon2id), in KiB. Hashes with other parameters are renewed at the next sign-in.",
  ),
  AUTH_PASSWORD_ITERATIONS: setting(
    { kind: "integer", min: 1, max: 100, default: 2 },
    "Time cost of a password hash: the number of passes over its memory.",
  ),
  AUTH_PASSWORD_PARALLELISM: setting(
    { kind: "integer", min: 1, max: 64, default: 1 },
    "Parallelism of a password hash: the number of lanes of its memory.",
  ),
  AUTH_REAUTHENTICATE: setting(
    { kind: "boolean", default: true },
    "Whether [changes of an account](../guides/accounts.md#changes-of-an-account) require a recent proof that the owner makes them.",
  ),
  AUTH_SECURE_EMAIL_CHANGE: setting(
    { kind: "boolean", default: true },
    "Whether a change of e-mail address must also be confirmed at the old address.",
  ),
  AUTH_MFA_FACTORS_PER_USER: setting(
    { kind: "integer", min: 1, max: 100, default: 10 },
    "Maximum number of factors that one user may enrol.",
  ),
  AUTH_PASSKEYS_RP_ID: setting(
    { kind: "host", default: null },
    "Domain that [passkeys](../guides/passkeys.md) belong to. Defaults to the host of `SITE_URL`, or else of the service. A change makes earlier passkeys unusable.",
  ),
  AUTH_PASSKEYS_ORIGINS: setting(
    { kind: "origins", default: null },
    "Origins of the pages on which passkeys are used, without wildcards; requires `AUTH_PASSKEYS_RP_ID`. Defaults to those of `SITE_URL` and of the service that belong to the domain.",
  ),
  AUTH_PASSKEYS_PER_USER: setting(
    { kind: "integer", min: 0, max: 100, default: 20 },
    "Maximum number of passkeys that one user may register; 0 refuses further ones.",
  ),
  OAUTH_DYNAMIC_REGISTRATION_ENABLED: setting(
    { kind: "boolean", default: false },
    "Whether programs may register themselves as clients of the authorization server (RFC 7591). Programs whose id is the address of a document need no registration.",
  ),
  OAUTH_MAX_DYNAMIC_CLIENTS: setting(
    { kind: "integer", min: 1, max: 100_000, default: 1000 },
    "Maximum number of clients that have registered themselves. Those that nobody uses are deleted after a day.",
  ),
  AUTH_MFA_ENFORCE: setting(
    { kind: "boolean", default: true },
    "Whether tables, functions and realtime require a session of level `aal2` from users with a verified second factor.",
  ),
};

export const MAIL_SETTINGS = {
  SMTP_URL: setting(
    { kind: "smtp-url", default: null, secret: true },
    "Mail server, with user name and password. Without it, mails are written to `DATA_DIR/mail`.",
  ),
  MAIL_FROM: setting({ kind: "mailbox", default: "Swarmbase <no-reply@localhost>" }, "Sender of mails."),
  AUTH_MAIL_INTERVAL_SECONDS: setting(
    { kind: "integer", min: 0, max: 86_400, default: 60 },
    "Minimum time between two mails of one kind to one address; 0 means no minimum.",
  ),
};
