import type { GuardedFetch } from "@swarmbase/guarded-fetch";
import { ToolFailure } from "../../../errors/index.ts";
import type { ToolAccounts, ToolAnswer, ToolCall } from "../tool-kind.ts";

type FetchPort = Pick<GuardedFetch, "fetch">;

/** Sends requests with the access token of the account that the starter of the run has connected at the server. */
export async function useAccount(
  { port, accounts }: { readonly port: FetchPort; readonly accounts: ToolAccounts | null },
  url: URL | string,
  call: ToolCall,
  work: (port: FetchPort) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  if (accounts === null)
    throw new ToolFailure("TOOL_UNUSABLE", "The tool needs the extension mcp-client, which EXTENSIONS does not name.");
  const server = { protocol: "http", url: new URL(url).origin } as const;
  return accounts.use(call, server, (tokens) => {
    const send: FetchPort["fetch"] = async (target, init) => {
      const { token, version } = await tokens.take();
      call.hide?.(token);
      const headers = { ...(init?.headers as Readonly<Record<string, string>>), authorization: `Bearer ${token}` };
      const response = await port.fetch(target, { ...init, headers });
      if (response.status !== 401) return response;
      await response.body?.cancel();
      await tokens.renew(version);
      return send(target, init);
    };
    return work({ fetch: send });
  });
}
