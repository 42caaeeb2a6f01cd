import { Unplug } from "lucide-react";
import { useState } from "react";
import {
  type ToolAuthorization,
  useRevokeAuthorization,
  useToolAuthorizations,
} from "../../data/tool-authorizations.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";

/** The accounts at other servers that tools use in the name of the user. */
export function ConnectionsTab() {
  const { rows: connections, ...read } = useToolAuthorizations();
  if (connections === undefined)
    return <NotLoaded title="Your connections could not be loaded" read={read} skeleton={<ListSkeleton rows={2} />} />;
  return (
    <CardSection
      title="Connections"
      description="Servers that tools use with your account: your own tools, and tools that act for you when you ask an agent."
    >
      {connections.length === 0 ? (
        <p className="text-sm text-ink-soft">
          You have no connections. A tool that needs an account of yours asks you to connect it.
        </p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {connections.map((connection) => (
            <ConnectionRow key={`${connection.account ?? ""} ${connection.url}`} connection={connection} />
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function ConnectionRow({ connection }: { readonly connection: ToolAuthorization }) {
  const { url, account, scope, authorized, authorized_at: authorizedAt } = connection;
  const name = URL.parse(url)?.origin ?? url;
  const [isAsking, setAsking] = useState(false);
  const revoke = useRevokeAuthorization();
  const toast = useToast();
  const run = async () => {
    setAsking(false);
    const isDone = await revoke.run({ url, account });
    toast(
      isDone === null
        ? { text: `${name} could not be disconnected.`, tone: "bad" }
        : { text: `${name} is disconnected.` },
    );
  };
  return (
    <li aria-label={name} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-3 sm:flex-nowrap">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 font-medium wrap-anywhere" title={url}>
            {name}
          </span>
          {!authorized && <Badge tone="thinking">{authorizedAt === null ? "Not finished" : "Connection lost"}</Badge>}
        </div>
        <div className="flex flex-wrap gap-x-3 text-sm wrap-anywhere text-ink-faint">
          {account !== undefined && <span>{account === "asker" ? "tools that act for you" : "your own tools"}</span>}
          <span>{scope === null ? "no scopes named" : `granted: ${scope}`}</span>
          {authorizedAt !== null && (
            <span className="whitespace-nowrap">
              connected <RelativeTime at={authorizedAt} />
            </span>
          )}
        </div>
      </div>
      <Button
        size="small"
        icon={<Unplug />}
        isBusy={revoke.isBusy}
        aria-label={`Disconnect ${name}`}
        onClick={() => setAsking(true)}
      >
        Disconnect
      </Button>
      <ActionDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Disconnect ${name}?`}
        action="Disconnect"
        isDangerous
        onAction={() => void run()}
      >
        <p className="text-ink-soft">The stored access is deleted. Tools that need it fail until you connect again.</p>
      </ActionDialog>
    </li>
  );
}
