import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { type Grant, useCustomers, useGrants } from "../../../data/agent-grants.ts";
import { type AgentVersion, useAgentVersions } from "../../../data/agent-versions.ts";
import type { Agent } from "../../../data/agents.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { List } from "../../../components/list-page.tsx";
import type { Choice } from "../../../components/select.tsx";
import { CustomerPreview } from "./customer-preview.tsx";
import { GrantFormDialog } from "./grant-form.tsx";
import { GrantRow } from "./grant-row.tsx";
import { AS_IT_IS } from "./grant-schema.ts";
import { nameAudience } from "./describe-grant.ts";

/** Who may ask the agent, under which terms and with which version, and what they see of it. */
export function PublishTab({ agent }: { readonly agent: Agent }) {
  const grants = useGrants(agent.id);
  const { rows: versions = [] } = useAgentVersions(agent.id);
  const { rows: customers = [] } = useCustomers(agent.id, "last_run_at");
  /** A grant, or null for a new one; undefined while no form is open. */
  const [edited, setEdited] = useState<Grant | null | undefined>();
  const [shownId, setShownId] = useState<string | null>(null);
  const { rows: all = [] } = grants;
  const choices = listVersions(versions, all);
  const names = useMemo(() => new Map(customers.map(({ user_id: id, full_name: name }) => [id, name])), [customers]);
  const shown = all.find(({ id }) => id === shownId) ?? all[0];
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
        {...(all.length > 0 && { action: add })}
      >
        <List
          noun="grants"
          pages={grants}
          empty={
            <EmptyState picture="agents" title="Only you can ask this agent" action={add}>
              A grant lets one user, accounts with a claim, or everyone ask it, with limits of your choice.
            </EmptyState>
          }
        >
          {(rows, foot) => (
            <>
              <ul aria-label="Grants" className="grid grid-cols-1 gap-3">
                {rows.map((grant) => (
                  <GrantRow
                    key={grant.id}
                    grant={grant}
                    name={nameAudience(grant, names)}
                    versions={choices}
                    onEdit={() => setEdited(grant)}
                    onShow={() => setShownId(grant.id)}
                  />
                ))}
              </ul>
              {foot}
            </>
          )}
        </List>
      </CardSection>
      {shown !== undefined && (
        <CustomerPreview agent={agent} grant={shown} name={nameAudience(shown, names)} versions={versions} />
      )}
      {edited !== undefined && (
        <GrantFormDialog
          agent={agent}
          base={edited}
          name={edited === null ? "" : nameAudience(edited, names)}
          versions={choices}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

/** The loaded versions, and those that grants pin although they are older. */
function listVersions(versions: readonly AgentVersion[], grants: readonly Grant[]): readonly Choice[] {
  const pinned = grants.flatMap(({ agent_version: number }) => number ?? []);
  const numbers = [...new Set([...versions.map(({ number }) => number), ...pinned])].toSorted((one, two) => two - one);
  const choices = numbers.map((number, place) => ({
    value: String(number),
    label: place === 0 ? `Version ${number} (newest)` : `Version ${number}`,
  }));
  return [{ value: AS_IT_IS, label: "As the agent is" }, ...choices];
}
