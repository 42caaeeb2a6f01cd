import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";

type Noun = "dataset" | "case" | "eval run";

const CLIENT_FAULTS = new Set([400, 403, 404, 406]);

export interface NotLoadedProps {
  readonly noun: Noun;
  readonly failure: { readonly message: string; readonly status: number } | null;
  onRetry(): void;
}

/** In place of a row that is not there: loading, missing, or a failure. */
export function NotLoaded({ noun, failure, onRetry }: NotLoadedProps) {
  if (failure === null) return <PageSkeleton />;
  if (CLIENT_FAULTS.has(failure.status)) return <Missing noun={noun} />;
  return <FailureState title={`The ${noun} could not be loaded.`} message={failure.message} onRetry={onRetry} />;
}

export function Missing({ noun }: { readonly noun: Noun }) {
  return (
    <>
      <PageHeader title={`No such ${noun}`} crumbs={[{ label: "Evals", to: "/evals" }]} />
      <EmptyState picture="lost" title="Not found" action={<ButtonLink to="/evals">All datasets</ButtonLink>}>
        It was deleted, or it belongs to somebody else.
      </EmptyState>
    </>
  );
}
