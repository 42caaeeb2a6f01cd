import type { AuthResponse } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { findRelyingParty } from "../webauthn/relying-party.ts";
import { isAutoconfirmed } from "../users/account-rules.ts";

/** Providers that clients look for, configured or not. */
const FOREIGN_PROVIDERS = [
  "apple",
  "azure",
  "bitbucket",
  "discord",
  "facebook",
  "figma",
  "fly",
  "github",
  "gitlab",
  "google",
  "kakao",
  "keycloak",
  "linkedin",
  "linkedin_oidc",
  "notion",
  "slack",
  "slack_oidc",
  "snapchat",
  "spotify",
  "twitch",
  "twitter",
  "workos",
  "x",
  "zoom",
] as const;

/** Public settings for sign-in forms. */
export async function describeAuthSettings(
  context: Pick<AuthContext, "settings" | "baseUrl" | "signInProviders">,
): Promise<AuthResponse> {
  const { settings, signInProviders } = context;
  const { list } = signInProviders;
  return {
    status: 200,
    body: {
      external: {
        ...Object.fromEntries(FOREIGN_PROVIDERS.map((name) => [name, false])),
        ...Object.fromEntries(list.map(({ name }) => [name, true])),
        anonymous_users: settings.authAnonymousEnabled,
        email: true,
        phone: false,
      },
      sign_in_providers: list.map(({ name, label }) => ({ name, label })),
      disable_signup: !settings.authSignupEnabled,
      mailer_autoconfirm: isAutoconfirmed(settings),
      phone_autoconfirm: false,
      sms_provider: "",
      saml_enabled: false,
      passkeys_enabled: findRelyingParty(context) !== null,
    },
  };
}

export async function describeHealth(): Promise<AuthResponse> {
  return {
    status: 200,
    body: { name: "Swarmbase Auth", version: "v1", description: "Accounts, sessions and tokens of Swarmbase" },
  };
}
