import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";

export function AgentGone() {
  return (
    <>
      <PageHeader title="No such agent" crumbs={[{ label: "Agents", to: "/agents" }]} />
      <EmptyState picture="lost" title="Agent not found" action={<ButtonLink to="/agents">All agents</ButtonLink>}>
        It was deleted, or it belongs to another user.
      </EmptyState>
    </>
  );
}
