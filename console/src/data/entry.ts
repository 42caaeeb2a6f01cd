import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";

/** Where links in mails come back to. Not below /auth, which is the service's own. */
const CALLBACK = "/welcome";

function callback(): string {
  return `${location.origin}${CALLBACK}`;
}

/** True when somebody is signed in now; false when the address has to be confirmed first. */
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
}

export async function sendMagicLink(email: string): Promise<void> {
  await unwrap(
    getClient().auth.signInWithOtp({ email, options: { emailRedirectTo: callback(), shouldCreateUser: false } }),
  );
}

/** The code in a mail, for those who read it on another device than this one. */
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

/** Gives the code of the app for the first factor that is set up. */
export async function passSecondFactor(code: string): Promise<void> {
  const { mfa } = getClient().auth;
  const { totp } = await unwrap(mfa.listFactors());
  const [factor] = totp;
  if (factor === undefined) throw new Error("There is no second factor to ask for.");
  await unwrap(mfa.challengeAndVerify({ factorId: factor.id, code }));
}
