import { Component, type ReactNode, useEffect } from "react";
import { useRouteError } from "react-router";
import { whenReachableAgain } from "../data/connection.ts";
import { Button } from "../components/button.tsx";
import { FailureState } from "../components/failure-state.tsx";
import { FullPage } from "./full-page.tsx";

/** Shows a message and a reload button, instead of an empty page, when rendering fails. */
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
    <FullPage title="The console has failed">
      <p className="text-ink-soft">Saved data is not affected. Reloading the page usually helps.</p>
      <Button variant="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </FullPage>
  );
}

/** Reloads the page when the service responds again. A service that responds now does not have the file: a reload would not help for long. */
function useReloadOnReconnection(isOn: boolean): void {
  useEffect(() => {
    if (isOn) return whenReachableAgain(() => location.reload());
  }, [isOn]);
}

/** Rendered inside the shell, so that the navigation stays usable. Also shown when a newer build has replaced the files of this page. */
export function PageFailure() {
  const error = useRouteError();
  const isOutdated = error instanceof Error && /import|module|fetch/i.test(error.message);
  useReloadOnReconnection(isOutdated);
  return (
    <FailureState
      title={isOutdated ? "This part could not be loaded" : "This page has failed"}
      message={
        isOutdated
          ? "The connection was lost, or the service has been updated since the page was opened. After a lost connection the page reloads by itself."
          : "Saved data is not affected. Reloading the page usually helps."
      }
      onRetry={() => location.reload()}
    />
  );
}
