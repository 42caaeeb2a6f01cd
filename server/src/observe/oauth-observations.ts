/** Observations of the authorization server. */
export const OAUTH_OBSERVATIONS = {
  // auth: programs
  "oauth.authorized": { level: "info", message: "a person has let a program in" },
  "oauth.token_issued": { level: "debug", message: "issued tokens to a program" },
  "oauth.revoked": { level: "info", message: "ended the access of a program" },
  "oauth.client_refused": { level: "info", message: "could not authenticate a program", sampled: true },
  "oauth.code_reused": {
    level: "warn",
    message: "ended the session of a program because its authorization code was used twice",
  },
  "oauth.refresh_reused": {
    level: "warn",
    message: "ended the session of a program because an old refresh token of it was used",
  },

  // auth: clients of the authorization server
  "oauth.client_changed": { level: "info", message: "an operator changed the clients of the authorization server" },
  "oauth.client_registered": { level: "info", message: "a client of the authorization server registered" },
  "oauth.document_failed": { level: "info", message: "could not read the document of a client", sampled: true },
} as const;
