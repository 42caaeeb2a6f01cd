import type { Preset } from "./presets.ts";

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
