import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        picture="lost"
        title="This page does not exist"
        action={
          <ButtonLink to="/" variant="primary">
            Go to Home
          </ButtonLink>
        }
      >
        The link may be outdated.
      </EmptyState>
    </>
  );
}
