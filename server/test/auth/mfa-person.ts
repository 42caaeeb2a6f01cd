import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { AppError } from "../../src/errors/index.ts";
import { type AuthContextOverrides, createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import type { Cleanup } from "../support/database.ts";

export const PASSWORD = "correct horse battery";

/** An untyped response body; assertions check its members. */
export type Shown = Readonly<Record<string, ReturnType<typeof JSON.parse>>>;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly factors?: readonly Record<string, unknown>[] };
}

export interface Enrolled {
  readonly id: string;
  readonly secret: string;
}

/** A user who enrols and uses a second factor. */
export class Person {
  readonly stage: TestAuthContext;
  readonly id: string;
  readonly email: string;
  token: string;
  refreshToken: string;

  constructor(stage: TestAuthContext, email: string, tokens: Tokens) {
    this.stage = stage;
    this.email = email;
    this.id = tokens.user.id;
    this.token = tokens.access_token;
    this.refreshToken = tokens.refresh_token;
  }

  async signIn(): Promise<Tokens> {
    const body = { email: this.email, password: PASSWORD };
    const answer = await this.stage.call("POST", "/token", { query: { grant_type: "password" }, body });
    return answer.body as Tokens;
  }

  take(tokens: Tokens): void {
    this.token = tokens.access_token;
    this.refreshToken = tokens.refresh_token;
  }

  async enrol(friendly_name?: string, token = this.token): Promise<Enrolled> {
    const body = { factor_type: "totp", friendly_name };
    const answer = await this.stage.call("POST", "/factors", { token, body });
    const { id, totp } = answer.body as { id: string; totp: { secret: string } };
    return { id, secret: totp.secret };
  }

  async challenge(factorId: string, token = this.token): Promise<string> {
    const { body } = await this.stage.call("POST", `/factors/${factorId}/challenge`, { token, body: { factorId } });
    return (body as { id: string }).id;
  }

  async verify(factorId: string, challenge_id: string, code: string, token = this.token): Promise<Tokens> {
    const body = { challenge_id, code };
    return (await this.stage.call("POST", `/factors/${factorId}/verify`, { token, body })).body as Tokens;
  }

  /** The code that an authenticator shows, `steps` away from now. */
  code({ secret }: Enrolled, steps = 0): string {
    const timestamp = this.stage.clock.now().getTime() + steps * 30_000;
    return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
  }

  /** Advances to the beginning of a time step, so that the next one does not begin during a test. */
  enterNextStep(): void {
    const { clock } = this.stage;
    clock.advance(30_000 - (clock.now().getTime() % 30_000));
  }

  wrongCode(factor: Enrolled): string {
    const good = new Set([-1, 0, 1].map((steps) => this.code(factor, steps)));
    return ["000000", "111111", "222222", "333333"].find((code) => !good.has(code)) ?? "444444";
  }

  /** Verifies the current code and continues with the new session. */
  async show(factor: Enrolled): Promise<Tokens> {
    const tokens = await this.verify(factor.id, await this.challenge(factor.id), this.code(factor));
    this.take(tokens);
    return tokens;
  }

  async enrolVerified(friendlyName?: string): Promise<Enrolled> {
    const factor = await this.enrol(friendlyName);
    await this.show(factor);
    return factor;
  }

  async refresh(refresh_token = this.refreshToken): Promise<Tokens> {
    const answer = await this.stage.call("POST", "/token", {
      query: { grant_type: "refresh_token" },
      body: { refresh_token },
    });
    return answer.body as Tokens;
  }
}

let count = 0;

export async function newPerson(stage: TestAuthContext): Promise<Person> {
  count += 1;
  const email = `person-${count}@example.com`;
  const { body } = await stage.call("POST", "/signup", { body: { email, password: PASSWORD } });
  return new Person(stage, email, body as Tokens);
}

export async function openPerson(t: Cleanup, overrides?: AuthContextOverrides): Promise<Person> {
  return newPerson(await createAuthContext(t, overrides));
}

export function readClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

/** Checks the status and GoTrue's error code. */
export async function assertRejected(work: Promise<unknown>, status: number, code: string): Promise<AppError> {
  const error = await work.then(
    () => assert.fail(`not rejected with ${status} ${code}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  assert.deepEqual([error.status, error.extra.members?.["error_code"]], [status, code], error.message);
  return error;
}
