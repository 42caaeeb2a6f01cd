import { maskUrls, parseFunctionUri, type Settings } from "../../config/index.ts";

/** The words of the settings, and the names of the hooks in their events. */
const HOOKS = {
  custom_access_token: { key: "CustomAccessToken", event: "customize-access-token" },
  before_user_created: { key: "BeforeUserCreated", event: "before-user-created" },
  password_verification_attempt: { key: "PasswordVerificationAttempt", event: "password-verification" },
  mfa_verification_attempt: { key: "MfaVerificationAttempt", event: "mfa-verification" },
  send_email: { key: "SendEmail", event: "send-email" },
} as const;

export type HookName = keyof typeof HOOKS;
export const HOOK_NAMES = Object.keys(HOOKS) as HookName[];

export interface HookTarget {
  readonly name: HookName;
  readonly event: string;
  readonly policy: "deny" | "continue";
  readonly timeoutMs: number;
  readonly call:
    | { readonly kind: "sql"; readonly schema: string; readonly function: string }
    /** The keys of the secrets, the current one first. */
    | { readonly kind: "http"; readonly url: string; readonly keys: readonly Buffer[] };
}

const SECRET_PREFIX = "v1,whsec_";

/** Returns null when the hook is not configured. */
export function findHookTarget(settings: Settings, name: HookName): HookTarget | null {
  const { key, event } = HOOKS[name];
  const uri = settings[`authHook${key}Uri`];
  if (uri === null) return null;
  const timeoutMs = settings[`authHook${key}TimeoutMs`];
  const policy = settings[`authHook${key}OnFailure`];
  const [schema, called] = parseFunctionUri(uri) ?? [];
  if (schema !== undefined && called !== undefined)
    return { name, event, policy, timeoutMs, call: { kind: "sql", schema, function: called } };
  const secrets = settings[`authHook${key}Secret`]?.split("|") ?? [];
  const keys = secrets.map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"));
  return { name, event, policy, timeoutMs, call: { kind: "http", url: uri, keys } };
}

/** For operators, without what could be a credential. */
export function describeTarget({ call }: HookTarget): string {
  return call.kind === "sql" ? `${call.schema}.${call.function}` : maskUrls(call.url);
}
