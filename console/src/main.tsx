import "./styles/index.css";
import { createRoot, type Root } from "react-dom/client";
import { App } from "./app/app.tsx";
import { FullPage } from "./app/full-page.tsx";
import { createRouter } from "./app/router.tsx";
import { Button } from "./components/button.tsx";
import { loadClient } from "./data/client.ts";
import { onReconnect } from "./data/connection.ts";
import { leaveLingering } from "./data/live.ts";
import { isPortal } from "./data/portal.ts";
import { createQueries } from "./data/query-client.ts";
import { getAccessToken, revalidateSession, startSession } from "./data/session.ts";

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no root element");
const root = createRoot(element);
try {
  if (isPortal()) await (await import("./app/portal/show-portal.tsx")).showPortal(root);
  else await showConsole(root);
} catch {
  root.render(<StartFailure />);
}

async function showConsole(shown: Root): Promise<void> {
  const client = await loadClient();
  const queries = createQueries(revalidateSession);
  onReconnect(() => void queries.invalidateQueries());
  await startSession(() => {
    leaveLingering();
    queries.clear();
  });
  // Connects while the files of the page are loading, so that its channels join before it reads.
  if (getAccessToken() !== null) client.realtime.connect();
  shown.render(<App queries={queries} router={createRouter()} />);
}

/** Shown when the page has loaded but the service does not respond. */
function StartFailure() {
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
