import type { AuthContext } from "../../../src/auth/auth-context.ts";
import type { Person, Tokens } from "../mfa-person.ts";
import type { TestAuthContext } from "./auth-context.ts";
import type { CeremonyOptions, Deviation, SoftwareAuthenticator } from "../../support/software-authenticator.ts";

export interface Started {
  readonly challenge_id: string;
  readonly options: CeremonyOptions & { readonly [name: string]: unknown };
  readonly expires_at: number;
}

export interface ShownPasskey {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

export async function startRegistration({ stage, token }: Person): Promise<Started> {
  return (await stage.call("POST", "/passkeys/registration/options", { token, body: {} })).body as Started;
}

export async function finishRegistration(
  { stage, token }: Person,
  challenge_id: string,
  credential: unknown,
  node: Partial<AuthContext> = {},
): Promise<ShownPasskey> {
  const body = { challenge_id, credential };
  const answer = await stage.call("POST", "/passkeys/registration/verify", { token, body, node });
  return answer.body as ShownPasskey;
}

export async function register(
  person: Person,
  authenticator: SoftwareAuthenticator,
  deviation?: Deviation,
): Promise<ShownPasskey> {
  const { challenge_id, options } = await startRegistration(person);
  return finishRegistration(person, challenge_id, authenticator.create(options, deviation));
}

type Stage = Pick<TestAuthContext, "call">;

export async function startSignIn({ call }: Stage): Promise<Started> {
  return (await call("POST", "/passkeys/authentication/options", { body: {} })).body as Started;
}

export async function finishSignIn(
  { call }: Stage,
  challenge_id: string,
  credential: unknown,
  node: Partial<AuthContext> = {},
): Promise<Tokens> {
  const body = { challenge_id, credential };
  return (await call("POST", "/passkeys/authentication/verify", { body, node })).body as Tokens;
}

export async function signInWith(
  stage: Stage,
  authenticator: SoftwareAuthenticator,
  deviation?: Deviation,
): Promise<Tokens> {
  const { challenge_id, options } = await startSignIn(stage);
  return finishSignIn(stage, challenge_id, authenticator.get(options, deviation));
}

export async function listPasskeys({ stage, token }: Person): Promise<readonly ShownPasskey[]> {
  return (await stage.call("GET", "/passkeys", { token })).body as readonly ShownPasskey[];
}
