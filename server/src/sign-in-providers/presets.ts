/** What differs between the vendors, and from an issuer that is known by its discovery document alone. */
export interface Preset {
  readonly label: string;
  /** Null means that the operator names it. */
  readonly issuer: string | null;
  /** `github` is plain OAuth 2: who has signed in is read from the vendor's API. */
  readonly kind: "oidc" | "github";
  readonly scopes: readonly string[];
  /** Of ID tokens. */
  readonly algorithms: readonly string[];
  readonly authorizationParams: Readonly<Record<string, string>>;
  /** Linking must not happen without a page of the vendor on which the person agrees. */
  readonly linkingParams: Readonly<Record<string, string>>;
  /** `apple` signs its client secret with a key. */
  readonly secret: "shared" | "apple";
  /** Whose word it is that an address is verified. */
  readonly verification: "claim" | "microsoft";
}

const OIDC: Preset = {
  label: "",
  issuer: null,
  kind: "oidc",
  scopes: ["openid", "email", "profile"],
  algorithms: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
  authorizationParams: {},
  // Nobody knows whether an issuer asks before it answers. Unlike `select_account`, every issuer has to know `login`.
  linkingParams: { prompt: "login" },
  secret: "shared",
  verification: "claim",
};

/** By the names that the client library uses. */
const PRESETS: Readonly<Record<string, Partial<Preset>>> = {
  google: { label: "Google", issuer: "https://accounts.google.com", algorithms: ["RS256"] },
  github: { label: "GitHub", issuer: "https://github.com", kind: "github", scopes: ["read:user", "user:email"] },
  azure: {
    label: "Microsoft",
    issuer: "https://login.microsoftonline.com/common/v2.0",
    algorithms: ["RS256"],
    verification: "microsoft",
  },
  apple: {
    label: "Apple",
    issuer: "https://appleid.apple.com",
    scopes: ["openid", "email", "name"],
    algorithms: ["RS256"],
    // Apple accepts the scopes only with this response mode.
    authorizationParams: { response_mode: "form_post" },
    linkingParams: {},
    secret: "apple",
  },
};

export function presetOf(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  return preset === undefined ? OIDC : { ...OIDC, linkingParams: { prompt: "select_account" }, ...preset };
}

/** The API of github.com, or of a GitHub server of the operator. */
export function apiOf(issuer: string): string {
  return issuer === "https://github.com" ? "https://api.github.com" : `${issuer}/api/v3`;
}

/** A party that people can sign in with, as the operator has configured it. */
export interface SignInProvider {
  readonly name: string;
  /** As people know it. */
  readonly label: string;
  readonly preset: Preset;
  readonly issuer: string;
  readonly clientId: string;
  /** Whose ID tokens `grant_type=id_token` accepts: the client, and those of the operator's other apps. */
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  readonly secret: ClientSecret;
}

export type ClientSecret =
  | { readonly kind: "none" }
  | { readonly kind: "shared"; readonly text: string }
  | { readonly kind: "apple"; readonly teamId: string; readonly keyId: string; readonly privateKey: string };
