import { Button } from "../components/button.tsx";
import { FullPage } from "./full-page.tsx";

/** Shown when the page has loaded but the service does not respond. */
export function StartFailure() {
  return (
    <FullPage title="The service cannot be reached">
      <p className="text-ink-soft">
        The console is loaded, but the service does not respond. Check that it is running.
      </p>
      <Button variant="primary" onClick={() => location.reload()}>
        Try again
      </Button>
    </FullPage>
  );
}
