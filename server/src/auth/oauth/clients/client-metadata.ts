import { randomBytes } from "node:crypto";
import * as z from "zod";
import { authError } from "../../auth-error.ts";
import type { ClientRow, NewClient } from "../../sql/oauth-clients.ts";
import { CLIENT_SCOPES, findRedirectFault, hashClientSecret } from "./client.ts";

const MAX_NAME_LENGTH = 100;
const MAX_URI_LENGTH = 2048;
const MAX_REDIRECT_URIS = 20;
const MAX_WORDS = 50;
const GRANT_TYPES: readonly string[] = ["authorization_code", "refresh_token"];
const AUTH_METHODS = [
  "none",
  "client_secret_basic",
  "client_secret_post",
] as const satisfies readonly ClientRow["token_endpoint_auth_method"][];

/** People read the name when they decide: no control characters, and none that reverse what is beside it. */
const NAME = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME_LENGTH)
  .regex(/^[^\p{Cc}\p{Bidi_Control}]*$/u, "must not have control characters");
/** An empty text removes it. */
const WEB_URI = z
  .string()
  .max(MAX_URI_LENGTH)
  .refine((text) => text === "" || (/^https:\/\/[!-~]+$/.test(text) && URL.canParse(text)), "must be an https URL");
const REDIRECT_URIS = z
  .array(
    z.string().superRefine((uri, check) => {
      const message = findRedirectFault(uri);
      if (message !== null) check.addIssue({ code: "custom", message });
    }),
  )
  .min(1)
  .max(MAX_REDIRECT_URIS)
  .transform((uris) => [...new Set(uris)]);
const WORDS = z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_WORDS);

/** What all ways of registration have in common (RFC 7591). Other members are ignored. */
export const CLIENT_METADATA = z.object({
  client_name: NAME.optional(),
  client_uri: WEB_URI.optional(),
  logo_uri: WEB_URI.optional(),
  redirect_uris: REDIRECT_URIS,
  grant_types: WORDS.optional(),
  response_types: WORDS.optional(),
  scope: z.string().max(MAX_URI_LENGTH).optional(),
});

export const REGISTER_BODY = CLIENT_METADATA.extend({ token_endpoint_auth_method: z.enum(AUTH_METHODS).optional() });
export const CREATE_BODY = REGISTER_BODY.extend({ client_name: NAME });
export const CHANGE_BODY = CREATE_BODY.partial();

type Metadata = Omit<z.output<typeof CLIENT_METADATA>, "redirect_uris"> & {
  readonly redirect_uris?: readonly string[] | undefined;
};

/** The columns of these members. Unless it is `strict`, unknown grant types and scopes are dropped, as RFC 7591 permits. */
export function readMetadata(metadata: Metadata, isStrict: boolean): NewClient {
  const { client_name: name, client_uri, logo_uri, redirect_uris, grant_types, response_types, scope } = metadata;
  if (response_types !== undefined && !response_types.includes("code"))
    throw authError("validation_failed", "response_types: code is the only response type");
  const grantTypes = readWords("grant_types", grant_types, { known: GRANT_TYPES, isStrict });
  if (grantTypes !== undefined && !grantTypes.includes("authorization_code"))
    throw authError("validation_failed", "grant_types: must include authorization_code");
  const scopes = readWords("scope", scope?.split(" ").filter(Boolean), { known: CLIENT_SCOPES, isStrict });
  return {
    name,
    client_uri: client_uri === "" ? null : client_uri,
    logo_uri: logo_uri === "" ? null : logo_uri,
    redirect_uris,
    grant_types: grantTypes,
    // None that we know: it was written for other services, or is empty. The client may ask for all.
    scopes: scopes?.length === 0 ? null : scopes,
  };
}

function readWords(
  name: string,
  words: readonly string[] | undefined,
  { known, isStrict }: { readonly known: readonly string[]; readonly isStrict: boolean },
): string[] | undefined {
  if (words === undefined) return undefined;
  const unknown = words.find((word) => !known.includes(word));
  if (isStrict && unknown !== undefined)
    throw authError("validation_failed", `${name}: ${JSON.stringify(unknown)} is not one of ${known.join(", ")}`);
  return known.filter((word) => words.includes(word));
}

const SECRET_BYTES = 32;

/** The secret is shown once: only its hash is stored. */
export function makeSecret(): { readonly client_secret: string; readonly secret_hash: Buffer } {
  const client_secret = randomBytes(SECRET_BYTES).toString("base64url");
  return { client_secret, secret_hash: hashClientSecret(client_secret) };
}

export function renderClient(row: ClientRow): Readonly<Record<string, unknown>> {
  return {
    client_id: row.id,
    client_name: row.name,
    client_type: row.secret_hash === null ? "public" : "confidential",
    token_endpoint_auth_method: row.token_endpoint_auth_method,
    registration_type: row.registration,
    ...(row.client_uri !== null && { client_uri: row.client_uri }),
    ...(row.logo_uri !== null && { logo_uri: row.logo_uri }),
    redirect_uris: row.redirect_uris,
    grant_types: row.grant_types,
    response_types: ["code"],
    ...(row.scopes !== null && { scope: row.scopes.join(" ") }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
