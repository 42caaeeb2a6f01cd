import { Unplug } from "lucide-react";
import {
  type ToolAuthorization,
  useRevokeAuthorization,
  useToolAuthorizations,
} from "../../data/tool-authorizations.ts";
import { Badge } from "../../components/badge.tsx";
import { CardSection } from "../../components/card.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { TakeBackButton } from "../../components/take-back-button.tsx";

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
  const revoke = useRevokeAuthorization();
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
      <TakeBackButton
        label="Disconnect"
        name={name}
        icon={<Unplug />}
        write={{ isBusy: revoke.isBusy, run: () => revoke.run({ url, account }) }}
        done={`${name} is disconnected.`}
        failed={`${name} could not be disconnected.`}
      >
        The stored access is deleted. Tools that need it fail until you connect again.
      </TakeBackButton>
    </li>
  );
}
