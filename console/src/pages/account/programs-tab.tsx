import { AppWindow } from "lucide-react";
import { getConfig } from "../../data/client.ts";
import { type Grant, useDisconnect, useGrants } from "../../data/connected-programs.ts";
import { CardSection } from "../../components/card.tsx";
import { describeReach, describeScope } from "../../components/access-texts.ts";
import { formatCount } from "../../components/formats.ts";
import { ListRow, RowList } from "../../components/list-row.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { toProgramName } from "../../components/program-name.ts";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { TakeBackButton } from "../../components/take-back-button.tsx";

/** The programs that may act for the user. One has a grant for each address that it reaches; all of them end together. */
export function ProgramsTab() {
  const { rows: grants, ...read } = useGrants();
  const { docsPath } = getConfig();
  if (grants === undefined)
    return <NotLoaded title="Your programs could not be loaded" read={read} skeleton={<ListSkeleton rows={2} />} />;
  return (
    <CardSection
      title="Connected programs"
      description="Programs that act for you, with the rights that you have given to them. Disconnecting one takes effect at once."
    >
      {grants.length === 0 && (
        <p className="text-sm text-ink-soft">
          No program is connected. Those that know OAuth, such as MCP clients, ask you when you connect them.{" "}
          {docsPath !== null && (
            <a href={`${docsPath}/guides/mcp-server`} className="font-medium text-accent underline">
              How to connect one
            </a>
          )}
        </p>
      )}
      <RowList>
        {[...Map.groupBy(grants, ({ client }) => client.id)].map(([id, ofProgram]) => (
          <ProgramRow key={id} clientId={id} grants={ofProgram} />
        ))}
      </RowList>
    </CardSection>
  );
}

function ProgramRow({ clientId, grants }: { readonly clientId: string; readonly grants: readonly Grant[] }) {
  const disconnect = useDisconnect();
  const name = toProgramName(grants[0]?.client.name ?? "");
  // The id of a program that a document describes is the address of the document.
  const host = URL.parse(clientId)?.host;
  return (
    <ListRow
      icon={<AppWindow aria-hidden />}
      title={name}
      details={
        <>
          {host !== undefined && <p dir="ltr">{host}</p>}
          {grants.map((grant) => (
            <GrantLine key={grant.resource} grant={grant} />
          ))}
        </>
      }
    >
      <TakeBackButton
        label="Disconnect"
        name={name}
        write={{ isBusy: disconnect.isBusy, run: () => disconnect.run(clientId) }}
        done={`${name} is disconnected.`}
        failed={`${name} could not be disconnected.`}
      >
        What it runs for you ends. To connect it again, begin in the program.
      </TakeBackButton>
    </ListRow>
  );
}

function GrantLine({ grant }: { readonly grant: Grant }) {
  const { scopes, resource, resources, granted_at: grantedAt, last_used_at: usedAt } = grant;
  const count = resources === null ? null : resources.agents.length + resources.swarms.length;
  return (
    <p>
      {scopes.map((scope) => describeScope(scope).label).join(", ")}: {describeReach(resource)}
      {count !== null && `, only with ${formatCount(count)} of your agents and swarms`}. Since{" "}
      <RelativeTime at={grantedAt} />, {usedAt === null ? "not used yet" : "used "}
      {usedAt !== null && <RelativeTime at={usedAt} />}
    </p>
  );
}
