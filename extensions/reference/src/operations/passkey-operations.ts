import { ANY_OBJECT, COUNT, describe, listOf, record, UUID } from "../schemas/schema-parts.ts";
import { AT, ID, SESSION } from "./example-values.ts";
import { inPath, MALFORMED_ID, type OperationTexts, refer } from "./operation-text.ts";

const PASSKEY = { id: ID.passkey, friendly_name: "Laptop", created_at: AT, last_used_at: AT };
const IN_PATH = inPath("id", "the passkey");
const ANSWER = { 200: { description: "The passkey", schema: refer("Passkey"), example: PASSKEY } };
const CHALLENGE_ERRORS = ["webauthn_challenge_not_found", "webauthn_challenge_expired"] as const;
const SIGNED = { clientDataJSON: "eyJ0eXBlIjoi", signature: "MEUCIQD" };
const RESPONSE_ERRORS = ["validation_failed", "passkey_disabled", "webauthn_verification_failed"] as const;
const ADDING_ERRORS = ["too_many_passkeys", "reauthentication_needed", "insufficient_aal"] as const;

function responseBody(type: string, response: object) {
  const credential = { id: "AQID", rawId: "AQID", type: "public-key", response };
  return {
    required: ["challenge_id", "credential"],
    bounds: { challenge_id: { format: "uuid" } },
    fields: { credential: `\`${type}\` of WebAuthn; other members are ignored` },
    examples: { "a response": { challenge_id: ID.challenge, credential } },
  };
}

function optionsOf(description: string) {
  const options = describe(ANY_OBJECT, description);
  const example = { challenge: "k3Yw…", rpId: "app.example.com", userVerification: "required" };
  return {
    description: "The options, whose challenge is valid for five minutes",
    schema: record({ challenge_id: UUID, options, expires_at: describe(COUNT, "Unix seconds") }),
    example: { challenge_id: ID.challenge, options: example, expires_at: 1794744300 },
  };
}

/** Under `/auth/v1/passkeys`. */
export const PASSKEY_OPERATIONS: OperationTexts = {
  "GET /auth/v1/passkeys": {
    id: "listPasskeys",
    summary: "List your passkeys",
    answers: { 200: { description: "The passkeys", schema: listOf(refer("Passkey")), example: [PASSKEY] } },
    errors: ["insufficient_aal"],
    javascript: "const { data } = await supabase.auth.passkey.list();",
  },
  "PATCH /auth/v1/passkeys/{id}": {
    id: "renamePasskey",
    summary: "Rename a passkey",
    parameters: [IN_PATH],
    body: { required: ["friendly_name"], examples: { "a name": { friendly_name: "Laptop" } } },
    answers: ANSWER,
    errors: ["validation_failed", MALFORMED_ID, "webauthn_credential_not_found", "insufficient_aal"],
    javascript: `await supabase.auth.passkey.update({ passkeyId, friendlyName: "Laptop" });`,
  },
  "DELETE /auth/v1/passkeys/{id}": {
    id: "removePasskey",
    summary: "Remove a passkey",
    description: "Needs a proof of the owner within a day.",
    parameters: [IN_PATH],
    answers: { 204: { description: "Removed" } },
    errors: [MALFORMED_ID, "webauthn_credential_not_found", "reauthentication_needed", "insufficient_aal"],
    javascript: "await supabase.auth.passkey.delete({ passkeyId });",
  },
  "POST /auth/v1/passkeys/registration/options": {
    id: "startPasskeyRegistration",
    summary: "Start the registration of a passkey",
    description: "Needs a proof of the owner within a day, and a session of level `aal2` if there is a second factor.",
    answers: { 200: optionsOf("`PublicKeyCredentialCreationOptionsJSON` of WebAuthn") },
    errors: ["passkey_disabled", ...ADDING_ERRORS],
    javascript: "const { data, error } = await supabase.auth.registerPasskey();",
  },
  "POST /auth/v1/passkeys/registration/verify": {
    id: "finishPasskeyRegistration",
    summary: "Register a passkey",
    description: "Takes the response of the authenticator. The options that it belongs to work once.",
    body: responseBody("RegistrationResponseJSON", { clientDataJSON: "eyJ0eXBlIjoi", attestationObject: "o2NmbXRk" }),
    answers: ANSWER,
    errors: [...RESPONSE_ERRORS, ...CHALLENGE_ERRORS, "webauthn_credential_exists", ...ADDING_ERRORS],
  },
  "POST /auth/v1/passkeys/authentication/options": {
    id: "startPasskeySignIn",
    summary: "Start a sign-in with a passkey",
    answers: { 200: optionsOf("`PublicKeyCredentialRequestOptionsJSON` of WebAuthn, without credentials") },
    errors: ["passkey_disabled"],
    javascript: "const { data, error } = await supabase.auth.signInWithPasskey();",
  },
  "POST /auth/v1/passkeys/authentication/verify": {
    id: "finishPasskeySignIn",
    summary: "Sign in with a passkey",
    description: "Takes the response of the authenticator. Every response that is not valid gets the same error.",
    body: responseBody("AuthenticationResponseJSON", {
      ...SIGNED,
      authenticatorData: "SZYN5YgO",
      userHandle: "MDE5OWYz",
    }),
    answers: { 200: { description: "The session, of level `aal1`", schema: refer("Session"), example: SESSION } },
    errors: [...RESPONSE_ERRORS, ...CHALLENGE_ERRORS, ["user_banned", 400], "email_not_confirmed"],
  },
};
