import type { OAuthAuthorizationDetails, OAuthGrant } from "@supabase/supabase-js";
import { isUuid } from "@swarmbase/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Bound } from "./api-keys.ts";
import { callService } from "./call-service.ts";
import { type Client, getClient } from "./client.ts";
import { Failure, unwrap } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { signOut, useUser } from "./session.ts";
import { useWrite, type Write } from "./write.ts";

/** The request of a program that waits for the answer of the user. */
export interface Authorization extends OAuthAuthorizationDetails {
  readonly client: OAuthAuthorizationDetails["client"] & {
    /** Of the document that describes the program, or of its website. */
    readonly host: string | null;
    readonly registration: "manual" | "dynamic" | "document";
  };
  readonly scopes: readonly string[];
  /** The address that the tokens are for. */
  readonly resource: string;
  /** What the user agreed to before; null for the first time. */
  readonly previous: {
    readonly scopes: readonly string[];
    readonly resources: Bound | null;
    readonly client_name: string;
    readonly redirect_uris: readonly string[];
  } | null;
  readonly is_loopback_redirect: boolean;
}

interface Redirect {
  readonly redirect_url: string;
}

const NOT_FOUND = 404;
const GRANTS = ["account", "connected programs"];

/** Either the request, or where to go because the user has agreed before. The first account that reads it owns it. */
export function useAuthorization(id: string): ReadResult<Authorization | Redirect> {
  const { id: userId } = useUser();
  const query = useQuery<Authorization | Redirect, Failure>({
    queryKey: ["authorization", id, userId],
    queryFn: async () => {
      // Anybody can write the address of this page, and the client puts the id into the path of its request as it is.
      if (!isUuid(id)) throw new Failure("The address of this page is not complete.", { status: NOT_FOUND });
      const answer = await unwrap(getClient().auth.oauth.getAuthorizationDetails(id));
      return answer as Authorization | Redirect;
    },
    // Every read of a request that needs no answer makes another code.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return useReading(query);
}

/** The request cannot be answered any more, or not by this user. */
export function isGone(failure: Failure | null): boolean {
  return failure?.status === NOT_FOUND;
}

interface Answer {
  readonly action: "approve" | "deny";
  /** Absent means all that the program asks for. */
  readonly scopes?: readonly string[];
  /** Absent means that it is not bound. */
  readonly resources?: Bound;
}

export type Answering = Write<Answer, Redirect>;

/** With the result, where the browser goes with the answer. */
export function useAnswer(id: string): Answering & { readonly url: string | null } {
  const [url, setUrl] = useState<string | null>(null);
  const write = useWrite<Answer, Redirect>({
    tables: [],
    write: async (client, body) => {
      const redirect = (await (await answer(client, id, body)).json()) as Redirect;
      setUrl(redirect.redirect_url);
      return redirect;
    },
  });
  return { ...write, url };
}

/** The methods of supabase-js send nothing but an action, and only approve and deny. */
function answer(client: Client, id: string, body: object): Promise<Response> {
  return callService(client, `/auth/v1/oauth/authorizations/${id}/consent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Signs out, so that another account can answer. */
export async function leaveToOther(id: string): Promise<void> {
  // The page that the other account opens says so if the request is over.
  await answer(getClient(), id, { action: "release" }).catch(() => {});
  await signOut();
}

/**
 * Whether the browser may be sent there: to a web page, or to the program on this computer whose scheme it has registered. Such a
 * scheme has a dot, which none has that a browser runs or shows itself, such as `javascript:`.
 */
export function isFollowable(url: string, redirectUri: string | null): boolean {
  const protocol = URL.parse(url)?.protocol ?? "";
  if (protocol === "https:" || protocol === "http:") return true;
  return redirectUri !== null && protocol.includes(".") && URL.parse(redirectUri)?.protocol === protocol;
}

/** What the user has agreed to for one address of the service. */
export interface Grant extends OAuthGrant {
  readonly resource: string;
  readonly resources: Bound | null;
  readonly last_used_at: string | null;
}

export function useGrants(): ReadResult<readonly Grant[]> {
  const { id: userId } = useUser();
  const query = useQuery<readonly Grant[], Failure>({
    queryKey: [...GRANTS, userId],
    queryFn: async () => (await unwrap(getClient().auth.oauth.listGrants())) as unknown as readonly Grant[],
  });
  return useReading(query);
}

/** Ends the sessions of the program and all that it runs. */
export function useDisconnect(): Write<string, boolean> {
  return useWrite({
    tables: [],
    reloads: GRANTS,
    write: async (client, clientId) => {
      await unwrap(client.auth.oauth.revokeGrant({ clientId }));
      return true;
    },
  });
}
