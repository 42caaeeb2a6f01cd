import { EmptyState } from "../../parts/empty-state.tsx";
import { ButtonLink } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";

export function AgentGone() {
  return (
    <>
      <PageHeader title="No such agent" crumbs={[{ label: "Agents", to: "/agents" }]} />
      <EmptyState
        picture="lost"
        title="This agent is not here"
        action={<ButtonLink to="/agents">All agents</ButtonLink>}
      >
        It was deleted, or it belongs to somebody else.
      </EmptyState>
    </>
  );
}
