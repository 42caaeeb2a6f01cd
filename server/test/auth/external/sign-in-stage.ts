import assert from "node:assert/strict";
import type { Settings } from "../../../src/config/index.ts";
import { loadSettings } from "../../../src/config/index.ts";
import { loadSignInProviders } from "../../../src/sign-in-providers/index.ts";
import type { JWTPayload } from "jose";
import { type FakeIssuer, startFakeIssuer } from "../../support/fake-issuer.ts";
import type { Cleanup } from "../../support/database.ts";
import { type AuthContextOverrides, createAuthContext, type TestAuthContext } from "../support/auth-context.ts";
import type { ShownSession } from "../support/accounts.ts";

export const APP = "https://app.example.com/welcome";
export const CLIENT_ID = "client-of-the-app";

export interface Begun {
  readonly state: string;
  readonly nonce: string;
  /** What the browser sends from now on. */
  readonly cookie: string;
  /** The authorization request. */
  readonly url: URL;
}

/** Where the browser ends. */
export interface Ended {
  readonly url: URL;
  readonly query: Readonly<Record<string, string>>;
  readonly fragment: Readonly<Record<string, string>>;
}

export interface SignInStage extends TestAuthContext {
  readonly issuer: FakeIssuer;
  begin(provider: string, query?: Readonly<Record<string, string>>, cookie?: string): Promise<Begun>;
  /** The browser comes back with these parameters. */
  end(begun: Pick<Begun, "cookie">, parameters: Readonly<Record<string, string>>): Promise<Ended>;
  /** Signs in with these claims of the ID token. */
  signIn(provider: string, claims: JWTPayload, query?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Lets the token endpoint answer with this ID token. */
  answerWith(provider: string, claims: JWTPayload, begun: Pick<Begun, "nonce">): Promise<void>;
  claims(provider: string, claims: JWTPayload): JWTPayload;
  userOf(ended: Ended): Promise<ShownSession["user"]>;
}

/** The service with the providers `acme` and `other` at one fake issuer, and those of `environment`. */
export async function openSignInStage(
  t: Cleanup,
  { environment = {}, ...overrides }: AuthContextOverrides & { readonly environment?: Record<string, string> } = {},
): Promise<SignInStage> {
  const issuer = await startFakeIssuer(t);
  const issuers: Record<string, string> = { acme: `${issuer.origin}/acme`, other: `${issuer.origin}/other` };
  for (const address of Object.values(issuers)) issuer.serveIssuer(address);
  const providers = loadSignInProviders(loadSettings({}), {
    AUTH_ACME_CLIENT_ID: CLIENT_ID,
    AUTH_ACME_CLIENT_SECRET: "SECRET-CANARY",
    AUTH_ACME_ISSUER: issuers["acme"],
    AUTH_OTHER_CLIENT_ID: CLIENT_ID,
    AUTH_OTHER_CLIENT_SECRET: "SECRET-CANARY",
    AUTH_OTHER_ISSUER: issuers["other"],
    ...environment,
  });
  const settings: Partial<Settings> = {
    siteUrl: "https://app.example.com",
    redirectAllowList: ["https://app.example.com/**"],
    ...overrides.settings,
  };
  const auth = await createAuthContext(t, { ...overrides, settings, signIn: { providers, fetch: issuer.fetch } });
  const { call } = auth;
  const issuerOf = (name: string): string =>
    (issuers[name] ?? providers.find((provider) => provider.name === name)?.issuer) || "";

  const begin: SignInStage["begin"] = async (provider, query = {}, cookie = "") => {
    const asked = { provider, redirect_to: APP, ...query };
    const { status, headers = {} } = await call("GET", "/authorize", { query: asked, headers: { cookie } });
    assert.equal(status, 303);
    const url = new URL(headers["location"] ?? "");
    const [pair = ""] = (headers["set-cookie"] ?? "").split(";");
    return {
      state: url.searchParams.get("state") ?? "",
      nonce: url.searchParams.get("nonce") ?? "",
      cookie: pair,
      url,
    };
  };
  const end: SignInStage["end"] = async ({ cookie }, parameters) => {
    const { status, headers = {} } = await call("GET", "/callback", { query: parameters, headers: { cookie } });
    assert.equal(status, 303);
    return readEnd(headers["location"] ?? "");
  };
  const claims: SignInStage["claims"] = (provider, given) => {
    const now = Math.floor(auth.clock.now().getTime() / 1000);
    return { iss: issuerOf(provider), aud: CLIENT_ID, iat: now, exp: now + 600, ...given };
  };
  const answerWith: SignInStage["answerWith"] = async (provider, given, { nonce }) => {
    const id_token = await issuer.sign(claims(provider, { nonce, ...given }));
    issuer.serve(`${issuerOf(provider)}/token`, {
      access_token: "ACCESS-CANARY",
      refresh_token: "REFRESH-CANARY",
      token_type: "Bearer",
      id_token,
    });
  };
  return {
    ...auth,
    issuer,
    begin,
    end,
    claims,
    answerWith,
    async signIn(provider, given, query = {}) {
      const begun = await begin(provider, query);
      await answerWith(provider, given, begun);
      return end(begun, { code: "a-code", state: begun.state });
    },
    async userOf(ended) {
      const token = ended.fragment["access_token"];
      assert.ok(token, `signed in: ${ended.url.href}`);
      return (await call("GET", "/user", { token })).body as ShownSession["user"];
    },
  };
}

export function readEnd(location: string): Ended {
  const url = new URL(location);
  const fragment = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  return { url, query: Object.fromEntries(url.searchParams), fragment };
}
