import { createPrivateKey } from "node:crypto";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { ClientAuth, Configuration } from "openid-client";
import { isRecord } from "../../json/index.ts";
import { apiOf, type SignInProvider } from "../../sign-in-providers/index.ts";
import type { Clock } from "../../time/index.ts";
import { authError } from "../auth-error.ts";
import { boundFetch } from "./bound-fetch.ts";

export interface SignInProvidersOptions {
  /** In the order in which people see them. */
  readonly providers: readonly SignInProvider[];
  /** Reaches the origins of the issuers wherever they are, and others only where the address policy allows it. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The least time between two readings of keys for tokens whose key is unknown: anybody can send those. */
  readonly keysCooldownMs?: number;
}

/** The keys are null where the provider issues no ID tokens. */
type Opened = Readonly<{ config: Configuration; keys: JWTVerifyGetKey | null }>;

/** Documents of issuers change, and the secret of Apple expires. */
const OPENED_MS = 3_600_000;
const KEYS_MS = 600_000;
const KEYS_COOLDOWN_MS = 30_000;
const TIMEOUT_MS = 5_000;
const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 30;
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The configured identity providers. Their documents and keys are read on first use, and again after a while. */
export class SignInProviders {
  readonly list: readonly SignInProvider[];
  readonly fetch: typeof globalThis.fetch;
  /** Whether the issuers answered an operator. */
  readonly checks = new Map<string, Readonly<{ ok: boolean; message: string; checked_at: string }>>();
  readonly #clock: Clock;
  readonly #keysCooldownMs: number;
  readonly #opened = new Map<string, { readonly at: number; readonly value: Promise<Opened> }>();

  constructor({ providers, fetch, clock, keysCooldownMs = KEYS_COOLDOWN_MS }: SignInProvidersOptions) {
    this.list = providers;
    this.fetch = boundFetch(fetch);
    this.#clock = clock;
    this.#keysCooldownMs = keysCooldownMs;
  }

  require(name: string | undefined): SignInProvider {
    const found = this.list.find((provider) => provider.name === name);
    if (found === undefined) throw authError("oauth_provider_not_supported");
    return found;
  }

  /** Requests that come together share one reading. A failed one is not kept. */
  open(provider: SignInProvider, isFresh = false): Promise<Opened> {
    const now = this.#clock.now().getTime();
    const known = this.#opened.get(provider.name);
    if (!isFresh && known !== undefined && now - known.at < OPENED_MS) return known.value;
    const entry = { at: now, value: this.#read(provider) };
    this.#opened.set(provider.name, entry);
    entry.value.catch(() => {
      if (this.#opened.get(provider.name) === entry) this.#opened.delete(provider.name);
    });
    return entry.value;
  }

  /** Reads the document and the keys again. Says what it found, or throws. */
  async check(provider: SignInProvider): Promise<string> {
    const { config } = await this.open(provider, true);
    const { jwks_uri: keysAt } = config.serverMetadata();
    const response = await this.fetch(keysAt ?? apiOf(provider.issuer));
    if (!response.ok) throw new Error(`the provider answered with status ${response.status}`);
    if (keysAt === undefined) return "The API of the provider answers";
    const found: unknown = await response.json();
    const keys: unknown = isRecord(found) ? found["keys"] : null;
    if (!Array.isArray(keys) || keys.length === 0) throw new Error("the issuer has no keys");
    return `The issuer answers and has ${keys.length} ${keys.length === 1 ? "key" : "keys"}`;
  }

  /** Returns the claims of an ID token with a signature, an issuer, an audience and times that are right. The caller checks the nonce. */
  async verify(provider: SignInProvider, token: string, audiences: readonly string[]): Promise<JWTPayload> {
    const { config, keys } = await this.open(provider);
    if (keys === null) throw authError("oauth_provider_not_supported");
    const { jwtVerify } = await import("jose");
    const { payload } = await jwtVerify(token, keys, {
      algorithms: [...provider.preset.algorithms],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: this.#clock.now(),
      requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    });
    if (payload.iss !== expectedIssuer(config.serverMetadata().issuer, payload)) throw new Error("another issuer");
    const intended = [payload.aud ?? []].flat();
    const isParty = audiences.includes(String(payload["azp"]));
    // The apps of one project at a vendor get tokens for each other; elsewhere `azp` is whom the token was issued to.
    const isPartyFree = intended.length === 1 && (payload["azp"] === undefined || provider.preset.issuer !== null);
    if (!intended.some((audience) => audiences.includes(audience)) || !(isParty || isPartyFree))
      throw authError("unexpected_audience");
    return payload;
  }

  async #read(provider: SignInProvider): Promise<Opened> {
    const client = await import("openid-client");
    const { issuer, clientId, preset } = provider;
    const options = { [client.customFetch]: this.fetch as never, timeout: TIMEOUT_SECONDS };
    const text = await secretOf(provider, this.#clock);
    if (preset.kind === "github") {
      const server = {
        // As in the parameter `iss` of its answers.
        issuer: `${issuer}/login/oauth`,
        authorization_endpoint: `${issuer}/login/oauth/authorize`,
        token_endpoint: `${issuer}/login/oauth/access_token`,
      };
      const config = new client.Configuration(server, clientId, {}, client.ClientSecretPost(text ?? ""));
      config[client.customFetch] = options[client.customFetch];
      config.timeout = TIMEOUT_SECONDS;
      return { config, keys: null };
    }
    const authenticate: ClientAuth = (server, ...request) => {
      const isPosted =
        preset.secret === "apple" ||
        server.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true;
      const send = isPosted ? client.ClientSecretPost : client.ClientSecretBasic;
      return (text === null ? client.None() : send(text))(server, ...request);
    };
    const config = await client.discovery(new URL(issuer), clientId, {}, authenticate, options);
    const metadata = config.serverMetadata();
    for (const address of [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri])
      if (URL.parse(address ?? "")?.protocol !== "https:") throw new Error("the issuer names an address without https");
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ""), {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: KEYS_MS,
      cooldownDuration: this.#keysCooldownMs,
      [customFetch]: this.fetch,
    });
    return { config, keys };
  }
}

const LIFETIME_SECONDS = 86_400;
const AUDIENCE = "https://appleid.apple.com";

/** Apple's is a token that the team signs with its key. Apple accepts up to six months. */
async function secretOf({ secret, clientId }: SignInProvider, clock: Clock): Promise<string | null> {
  if (secret.kind !== "apple") return secret.kind === "shared" ? secret.text : null;
  const { SignJWT } = await import("jose");
  const iat = Math.floor(clock.now().getTime() / 1000);
  return new SignJWT({ iss: secret.teamId, iat, exp: iat + LIFETIME_SECONDS, aud: AUDIENCE, sub: clientId })
    .setProtectedHeader({ alg: "ES256", kid: secret.keyId })
    .sign(createPrivateKey(secret.privateKey));
}

/** Microsoft has one document for all tenants. */
function expectedIssuer(issuer: string, { tid }: JWTPayload): string {
  return typeof tid === "string" && TENANT_ID.test(tid) ? issuer.replace("{tenantid}", tid) : issuer;
}
