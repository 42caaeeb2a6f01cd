import type { ReactNode } from "react";
import { FailureState } from "./failure-state.tsx";
import { ListSkeleton } from "./skeleton.tsx";

export interface NotLoadedProps {
  /** "The agents could not be loaded" */
  readonly title: string;
  readonly read: { readonly failure: { readonly message: string } | null; reload(): void };
  /** While the rows are being loaded. */
  readonly skeleton?: ReactNode;
}

/** In place of rows that are not there: they are being loaded, or could not be. */
export function NotLoaded({ title, read: { failure, reload }, skeleton = <ListSkeleton /> }: NotLoadedProps) {
  if (failure === null) return skeleton;
  return <FailureState title={title} message={failure.message} onRetry={reload} />;
}
