// In charge of: authentication: accounts, sessions, tokens, signing keys and API keys; mails to users.
// Not in charge of: authorization (row-level policies of the database), HTTP.

export { AUTH_ERRORS, type AuthErrorCode, authCodeOf } from "./auth-error.ts";
export type { AuthResponse, AuthCall, AuthEndpoint } from "./call.ts";
export { recordExport } from "./users/record-change.ts";
export { authEndpoints, endpointPath, ruleOf } from "./endpoints.ts";
export { watchFirstStart } from "./watch-first-start.ts";
export { createAuthHousekeeping } from "./auth-housekeeping.ts";
export { checkMasterKey } from "./keys/ensure-keys.ts";
export {
  type CredentialsFile,
  credentialsPath,
  findCredentials,
  writeCredentials,
} from "./keys/credentials-file.ts";
export { ensureKeys } from "./keys/ensure-keys.ts";
export { importSigningKey } from "./keys/import-signing-key.ts";
export { type LoadedKeys, loadKeys } from "./keys/load-keys.ts";
export { MasterKeyError } from "./keys/stored-keys.ts";
export type { KeyFile } from "./keys/parse-imported-key.ts";
export { revokeSigningKey } from "./keys/rotate-keys.ts";
export { rotateRoleKeys } from "./keys/rotate-keys.ts";
export { rotateSigningKey } from "./keys/rotate-keys.ts";
export { TOKEN_ALGORITHMS } from "./keys/stored-keys.ts";
export {
  answerInvitation,
  createInvitationLink,
  findSecretInvitation,
} from "./invitations/invitation-links.ts";
export { type AuthHooks, openHooks } from "./hooks/open-hooks.ts";
export { customizeClaims } from "./sessions/render-session.ts";
export { sendsMails } from "./users/account-rules.ts";
export { createMailer } from "./mail/mailer.ts";
export { describeMailTransport, type MailTest, type MailTransport, sendTestMail } from "./outbox/test-mail.ts";
export { createAccountMails, createMailOutbox } from "./outbox/outbox-worker.ts";
export { chooseRedirect } from "./one-time/links.ts";
export { openAuth } from "./open-auth.ts";
export { createPortalLink, type PortalLink } from "./portal/create-portal-link.ts";
export { type AccessRule, authenticate, authenticateSocket } from "./principal/authenticate.ts";
export { translateScopeError } from "./principal/live-session.ts";
export type { Authentication, RequestCredentials } from "./principal/resolve-principal.ts";
export { regenerateSigningSecret, removeSigningSecret } from "./request-signing/signing-secret.ts";
export {
  checkRequestSignature,
  type SignedRequest,
  type VerifiedSignatures,
} from "./request-signing/check-request-signature.ts";
export { createUserKey, revokeUserKey } from "./user-keys/change-user-keys.ts";
export type { AuthContext } from "./auth-context.ts";
export { findSessionSubject, findEmailSubject } from "./rate-limit-subjects.ts";
