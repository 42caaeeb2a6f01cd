import { EmptyState } from "../../parts/empty-state.tsx";
import { ButtonLink } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";

export function LostScene() {
  return (
    <>
      <PageHeader title="Nothing is here" />
      <EmptyState
        picture="lost"
        title="This address leads nowhere"
        action={
          <ButtonLink to="/" variant="primary">
            To the beginning
          </ButtonLink>
        }
      >
        The link may be old, or what it led to may have been deleted.
      </EmptyState>
    </>
  );
}
