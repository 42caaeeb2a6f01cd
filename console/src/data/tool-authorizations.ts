import type { FunctionAnswer } from "@swarmbase/sdk";
import { useQuery } from "@tanstack/react-query";
import { AUTHORIZED_PATH, getClient } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

type Listed = FunctionAnswer<"tools", "list_authorizations">;

/** What a person has allowed the service at a server. It serves all tools with the same URL. */
export type ToolAuthorization = Listed["authorizations"][number];

const RETURN_TO = "swarmbase.authorize";

/** All authorizations of the user. */
export function useToolAuthorizations(isOn = true): ReadResult<readonly ToolAuthorization[]> {
  const query = useQuery<readonly ToolAuthorization[], Failure>({
    // Below "tools", so that a change is read again with them.
    queryKey: ["tools", "authorizations"],
    queryFn: async () => {
      const body = { action: "list_authorizations" };
      const answer = await unwrap(getClient().functions.invoke<Listed>("tools", { body }));
      return answer?.authorizations ?? [];
    },
    enabled: isOn,
  });
  return useReading(query);
}

/** The authorization for the user's own tools with a URL; null when there is none. */
export function useToolAuthorization(url: string, isOn = true): ReadResult<ToolAuthorization | null> {
  const { rows, ...read } = useToolAuthorizations(isOn);
  return { rows: rows && (rows.find((known) => known.url === url && known.account !== "asker") ?? null), ...read };
}

interface Authorize {
  /** The URL of the server, or a call that waits for an account. */
  readonly at: { readonly url: string } | { readonly tool_execution_id: string };
  /** The path of the console to continue at. */
  readonly returnTo: string;
}

/** Sends the browser to the server, where the user agrees. The page that it comes back to finishes the authorization. */
export function useAuthorizeTool(): Write<Authorize, void> {
  return useWrite({
    tables: [],
    write: async (client, { at, returnTo }) => {
      const body = { action: "authorize", ...at, redirect_to: `${location.origin}${AUTHORIZED_PATH}` };
      const answer = await unwrap(client.functions.invoke<{ authorization_url: string }>("tools", { body }));
      sessionStorage.setItem(RETURN_TO, returnTo);
      location.assign(answer?.authorization_url ?? "/tools");
    },
  });
}

/** Where the user was before. Another tab does not know it. */
export function getReturnPath(): string {
  return sessionStorage.getItem(RETURN_TO) ?? "/account/connections";
}

/** Returns the URL of the server. */
export function useFinishAuthorization(): Write<Readonly<Record<string, string>>, string> {
  return useWrite({
    tables: ["tools"],
    write: async (client, { state, code, iss }) => {
      const body = { action: "finish_authorization", state, code, ...(iss !== undefined && { iss }) };
      const answer = await unwrap(client.functions.invoke<{ url: string }>("tools", { body }));
      return answer?.url ?? "";
    },
  });
}

/** Deletes the tokens. */
export function useRevokeAuthorization(): Write<Pick<ToolAuthorization, "url" | "account">, void> {
  return useWrite({
    tables: ["tools"],
    write: async (client, authorization) => {
      await unwrap(client.functions.invoke("tools", { body: { action: "revoke_authorization", ...authorization } }));
    },
  });
}
