import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";

export function NotFoundPage() {
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
