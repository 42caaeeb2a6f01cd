import type { ApiKeyResources, ApiKeyScope } from "@swarmbase/sdk";

/** The verified claims of the token; `{}` without a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a principal that is not a person may do: the scopes of an API key, or the portal. */
type PrincipalScope = ApiKeyScope | "portal";

/** Who is calling, as `auth/` established it. */
export type Principal = AnonPrincipal | ServicePrincipal | UserPrincipal;

interface AnonPrincipal {
  readonly role: "anon";
  readonly userId: null;
  readonly claims: Claims;
  readonly session: null;
  readonly scopes?: undefined;
  readonly resources?: undefined;
  readonly client?: undefined;
  /** Anonymous callers of one address count as one user. */
  readonly address?: string;
}

interface ServicePrincipal {
  readonly role: "service_role";
  /** The user for whom the service role acts, where a call names one. */
  readonly userId: string | null;
  readonly claims: Claims;
  readonly session: null;
  readonly scopes?: undefined;
  readonly resources?: undefined;
  readonly client?: undefined;
  readonly address?: undefined;
}

export interface UserPrincipal {
  readonly role: "authenticated";
  readonly userId: string;
  readonly claims: Claims;
  /** Null turns the check of the session off; `auth/` always sets it. */
  readonly session: PrincipalSession | null;
  /** What the API key or the portal may do. Absent for a token, which has all rights of its user. */
  readonly scopes?: readonly PrincipalScope[];
  /** What the API key is bound to; null means nothing. */
  readonly resources?: ApiKeyResources | null;
  /** The program that acts for the user with an access token of its own, which has the rights of an API key with the same scopes. */
  readonly client?: PrincipalClient;
  readonly address?: undefined;
}

/** A user, or the service role on behalf of one. */
export type PrincipalForUser = Principal & { readonly userId: string };

interface PrincipalClient {
  /** Of the OAuth client. */
  readonly id: string;
  /** The address that the token is for (RFC 8707). */
  readonly resource: string;
}

/** The PostgreSQL role of a transaction. */
export type DatabaseRole = Principal["role"] | "api_key";

/** The policies of API keys and portals are those of a role of its own, so that nobody else pays for them. */
export function databaseRoleOf({ role, scopes }: Pick<Principal, "role" | "scopes">): DatabaseRole {
  return scopes === undefined ? role : "api_key";
}

/** What must hold for the user when a transaction begins. */
export interface PrincipalSession {
  readonly userId: string;
  /** Also the id of an API key. Null when the token names no session: then only the user must exist. */
  readonly sessionId: string | null;
  /** 0 is no limit. */
  readonly inactivitySeconds: number;
  /** The body has no verified signature; the transaction fails when the user requires one. */
  readonly isUnsigned?: boolean;
  /** The transaction fails when the user has a verified second factor and the session has not passed one. */
  readonly isAal2Required?: boolean;
  /** The request has no verified message signature (RFC 9421); the transaction fails when the user requires one. */
  readonly lacksMessageSignature?: boolean;
}

export const ANON_PRINCIPAL: AnonPrincipal = { role: "anon", userId: null, claims: { role: "anon" }, session: null };
export const SERVICE_PRINCIPAL: ServicePrincipal = {
  role: "service_role",
  userId: null,
  claims: { role: "service_role" },
  session: null,
};
