import type { Root } from "react-dom/client";
import { loadClient } from "../../data/client.ts";
import { onReconnect } from "../../data/connection.ts";
import { portalToken } from "../../data/portal.ts";
import { endPortal, startPortal } from "../../data/portal-token.ts";
import { createQueries } from "../../data/query-client.ts";
import { App } from "../app.tsx";
import { createPortalRouter } from "./portal-router.tsx";

export async function showPortal(root: Root): Promise<void> {
  const queries = createQueries(endPortal);
  startPortal(() => void queries.resetQueries());
  await loadClient(async () => portalToken.get());
  onReconnect(() => void queries.invalidateQueries());
  root.render(<App queries={queries} router={createPortalRouter()} />);
}
