import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { PageHeader } from "../../../components/page-header.tsx";

export function NoSuchSwarm() {
  return (
    <>
      <PageHeader title="No such swarm" crumbs={[{ label: "Swarms", to: "/swarms" }]} />
      <EmptyState
        picture="lost"
        title="Swarm not found"
        action={
          <ButtonLink to="/swarms" variant="primary">
            All swarms
          </ButtonLink>
        }
      >
        It was deleted, or you are not a member. Its owner can invite you.
      </EmptyState>
    </>
  );
}
