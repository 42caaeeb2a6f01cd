import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";
import { offerPasskey } from "./passkey-offer.ts";

/** The page that links in mails open. Not below /auth, which belongs to the API. */
const CALLBACK = "/welcome";

function callback(): string {
  return `${location.origin}${CALLBACK}`;
}

/** Returns false when the address must be confirmed before the user can sign in. */
export async function signUp(person: { email: string; password: string; name: string }): Promise<boolean> {
  const { session } = await unwrap(
    getClient().auth.signUp({
      email: person.email,
      password: person.password,
      options: { data: { full_name: person.name }, emailRedirectTo: callback() },
    }),
  );
  return session !== null;
}

export async function signIn(person: { email: string; password: string }): Promise<void> {
  await unwrap(getClient().auth.signInWithPassword(person));
  offerPasskey();
}

export async function sendMagicLink(email: string): Promise<void> {
  await unwrap(
    getClient().auth.signInWithOtp({ email, options: { emailRedirectTo: callback(), shouldCreateUser: false } }),
  );
}

/** Signs in with the code of a mail that was read on another device. */
export async function signInWithCode(email: string, code: string): Promise<void> {
  await unwrap(getClient().auth.verifyOtp({ email, token: code, type: "email" }));
}

export async function resendConfirmation(email: string): Promise<void> {
  await unwrap(getClient().auth.resend({ type: "signup", email, options: { emailRedirectTo: callback() } }));
}

export async function sendRecovery(email: string): Promise<void> {
  await unwrap(getClient().auth.resetPasswordForEmail(email, { redirectTo: `${location.origin}/new-password` }));
}

export async function setPassword(password: string): Promise<void> {
  await unwrap(getClient().auth.updateUser({ password }));
}

/** For users without their authenticator app. Each code works once. */
export async function passRecoveryCode(code: string): Promise<void> {
  await unwrap(getClient().auth.mfa.recoveryCodes.verify({ code }));
}
