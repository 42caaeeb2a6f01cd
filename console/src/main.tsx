import "./styles/index.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { StartFailure } from "./app/start-failure.tsx";
import { loadClient } from "./data/client.ts";
import { onReconnect } from "./data/connection.ts";
import { createQueries } from "./data/query-client.ts";
import { startSession } from "./data/session.ts";

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no root element");
const root = createRoot(element);
try {
  await loadClient();
  const queries = createQueries();
  onReconnect(() => void queries.invalidateQueries());
  await startSession(() => queries.clear());
  root.render(<App queries={queries} />);
} catch {
  root.render(<StartFailure />);
}
