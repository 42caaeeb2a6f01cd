import "./styles/index.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { StartFailure } from "./app/start-failure.tsx";
import { loadClient } from "./data/client.ts";
import { whenBack } from "./data/connection.ts";
import { createQueries } from "./data/query-client.ts";
import { startSession } from "./data/session.ts";

const element = document.getElementById("root");
if (element === null) throw new Error("the page has no place for the console");
const root = createRoot(element);
try {
  await loadClient();
  const queries = createQueries();
  whenBack(() => void queries.invalidateQueries());
  await startSession(() => queries.clear());
  root.render(<App queries={queries} />);
} catch {
  root.render(<StartFailure />);
}
