import { Button } from "../components/button.tsx";
import { FullPage } from "./full-page.tsx";

/** The page is here and the service is not. */
export function StartFailure() {
  return (
    <FullPage title="The service cannot be reached">
      <p className="text-ink-soft">
        The console is loaded, but the service behind it does not answer. Is it still running?
      </p>
      <Button variant="primary" onClick={() => location.reload()}>
        Try again
      </Button>
    </FullPage>
  );
}
