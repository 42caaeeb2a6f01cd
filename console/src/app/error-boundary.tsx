import { Component, type ReactNode } from "react";
import { useRouteError } from "react-router";
import { Button } from "../components/button.tsx";
import { FailureState } from "../components/failure-state.tsx";
import { FullPage } from "./full-page.tsx";

/** The last resort: says that it broke and offers the way out, instead of a white page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Broken /> : this.props.children;
  }
}

function Broken() {
  return (
    <FullPage title="The console has stumbled">
      <p className="text-ink-soft">
        Nothing of yours is lost: what was saved is saved. Loading the page again usually helps.
      </p>
      <Button variant="primary" onClick={() => location.reload()}>
        Load again
      </Button>
    </FullPage>
  );
}

/** Inside the shell, so that the way to other pages stays open. A build that is newer than the page ends here too. */
export function PageFailure() {
  const error = useRouteError();
  const isOutdated = error instanceof Error && /import|module|fetch/i.test(error.message);
  return (
    <FailureState
      title={isOutdated ? "This part could not be loaded" : "This page has stumbled"}
      message={
        isOutdated
          ? "The connection was lost, or the service has been updated since the page was opened."
          : "Nothing of yours is lost. Loading the page again usually helps."
      }
      onRetry={() => location.reload()}
    />
  );
}
