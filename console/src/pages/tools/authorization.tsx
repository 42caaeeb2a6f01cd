import { Plug, Unplug } from "lucide-react";
import { useAuthorizeTool, useRevokeAuthorization, useToolAuthorization } from "../../data/tool-authorizations.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusDot } from "../../components/status-dot.tsx";

interface AuthorizationProps {
  /** Of the MCP server. */
  readonly url: string;
  /** The path of the console to continue at. */
  readonly returnTo: string;
}

/** Whether the service may use an MCP server in the name of the user, with the buttons that change it. */
export function Authorization({ url, returnTo }: AuthorizationProps) {
  const { rows: authorization, failure, reload } = useToolAuthorization(url, url !== "");
  const authorize = useAuthorizeTool();
  const revoke = useRevokeAuthorization();
  const error = authorize.failure ?? revoke.failure;
  if (url === "") return <p className="text-sm text-ink-faint">Enter the address of the server first.</p>;
  if (failure !== null)
    return (
      <Banner
        tone="bad"
        action={
          <Button size="small" onClick={reload}>
            Try again
          </Button>
        }
      >
        {failure.message}
      </Banner>
    );
  if (authorization === undefined) return <Skeleton className="h-9" />;
  const isConnected = authorization?.authorized === true;
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex min-w-0 items-center gap-2">
          <StatusDot status={isConnected ? "active" : "inactive"} />
          {isConnected ? "Connected" : authorization === null ? "Not connected" : "Connection lost"}
          {isConnected && authorization.authorized_at !== null && (
            <span className="text-sm text-ink-faint">
              <RelativeTime at={authorization.authorized_at} />
            </span>
          )}
        </p>
        {!isConnected && (
          <Button
            size="small"
            variant="primary"
            icon={<Plug />}
            isBusy={authorize.isBusy}
            onClick={() => void authorize.run({ at: { url }, returnTo })}
          >
            Connect
          </Button>
        )}
        {authorization !== null && (
          <Button
            size="small"
            icon={<Unplug />}
            isBusy={revoke.isBusy}
            onClick={() => void revoke.run({ url, account: "owner" })}
          >
            Disconnect
          </Button>
        )}
      </div>
      <p className="text-sm text-pretty text-ink-faint">
        {isConnected
          ? `All of your tools of this server use the connection${authorization.scope === null ? "." : `. Granted: ${authorization.scope}.`}`
          : "The server asks you to sign in and to agree. Until then, calls of its tools fail."}
      </p>
      {error !== null && <Banner tone="bad">{error.message}</Banner>}
    </div>
  );
}
