import type { AuthEndpoint } from "../call.ts";
import { listPasskeys, PASSKEY_BODY, removePasskey, updatePasskey } from "./own-passkeys.ts";
import { finishRegistration, REGISTRATION_BODY, startRegistration } from "./register-passkey.ts";
import { finishPasskeySignIn, SIGN_IN_BODY, startPasskeySignIn } from "./sign-in-with-passkey.ts";

export const passkeyEndpoints: readonly AuthEndpoint[] = [
  { method: "GET", path: "/passkeys", access: "user", limit: "api", run: listPasskeys },
  { method: "PATCH", path: "/passkeys/:id", access: "user", limit: "api", body: PASSKEY_BODY, run: updatePasskey },
  { method: "DELETE", path: "/passkeys/:id", access: "user", limit: "api", run: removePasskey },
  { method: "POST", path: "/passkeys/registration/options", access: "user", limit: "api", run: startRegistration },
  {
    method: "POST",
    path: "/passkeys/registration/verify",
    access: "user",
    limit: "api",
    body: REGISTRATION_BODY,
    run: finishRegistration,
  },
  { method: "POST", path: "/passkeys/authentication/options", access: "apikey", limit: "api", run: startPasskeySignIn },
  {
    method: "POST",
    path: "/passkeys/authentication/verify",
    access: "apikey",
    limit: "auth",
    body: SIGN_IN_BODY,
    run: finishPasskeySignIn,
  },
];
