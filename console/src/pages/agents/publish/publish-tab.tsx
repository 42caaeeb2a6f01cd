import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { type Grant, useCustomers, useGrants } from "../../../data/agent-grants.ts";
import { useAgentVersions } from "../../../data/agent-versions.ts";
import type { Agent } from "../../../data/agents.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { Pager } from "../../../components/pager.tsx";
import { CustomerPreview } from "./customer-preview.tsx";
import { GrantFormDialog } from "./grant-form.tsx";
import { GrantRow } from "./grant-row.tsx";
import { listVersionChoices } from "./version-choices.ts";

const NO_GRANTS: readonly Grant[] = [];

/** Who may ask the agent, under which terms and with which version, and what they see of it. */
export function PublishTab({ agent }: { readonly agent: Agent }) {
  const grants = useGrants(agent.id);
  const { rows: versions = [] } = useAgentVersions(agent.id);
  const { rows: customers = [] } = useCustomers(agent.id, "last_run_at");
  /** A grant, or null for a new one; undefined while no form is open. */
  const [edited, setEdited] = useState<Grant | null | undefined>();
  const [shownId, setShownId] = useState<string | null>(null);
  const rows = grants.rows ?? NO_GRANTS;
  const choices = useMemo(() => listVersionChoices(versions, rows), [versions, rows]);
  const names = useMemo(
    () =>
      new Map(customers.flatMap(({ user_id: id, full_name: name }) => (name === null ? [] : [[id, name] as const]))),
    [customers],
  );
  const shown = rows.find(({ id }) => id === shownId) ?? rows[0] ?? null;
  const add = (
    <Button variant="primary" icon={<Plus />} onClick={() => setEdited(null)}>
      New grant
    </Button>
  );
  return (
    <div className="grid grid-cols-1 gap-5">
      <CardSection
        title="Grants"
        description="Who may ask this agent. Each customer talks with it in private; nobody sees its instructions, tools or settings."
        {...(rows.length > 0 && { action: add })}
      >
        {grants.rows === undefined ? (
          <NotLoaded title="The grants could not be loaded." read={grants} />
        ) : rows.length === 0 ? (
          <EmptyState picture="agents" title="Only you can ask this agent" action={add}>
            A grant lets one user, accounts with a claim, or everyone ask it, with limits of your choice.
          </EmptyState>
        ) : (
          <ul aria-label="Grants" className="grid grid-cols-1 gap-3">
            {rows.map((grant) => (
              <GrantRow
                key={grant.id}
                grant={grant}
                names={names}
                versions={choices}
                onEdit={() => setEdited(grant)}
                onShow={() => setShownId(grant.id)}
              />
            ))}
          </ul>
        )}
        {grants.hasMore && (
          <Pager shown={rows.length} hasMore isBusy={grants.isLoadingMore} onMore={grants.loadMore} noun="grants" />
        )}
      </CardSection>
      {shown !== null && <CustomerPreview agent={agent} grant={shown} names={names} versions={versions} />}
      {edited !== undefined && (
        <GrantFormDialog agent={agent} base={edited} versions={choices} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}
