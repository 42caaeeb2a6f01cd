import type { AuthEndpoint } from "../../call.ts";
import {
  changeClient,
  createClient,
  listClients,
  readClient,
  regenerateClientSecret,
  removeClient,
} from "./admin-clients.ts";
import { CHANGE_BODY, CREATE_BODY, REGISTER_BODY } from "./client-metadata.ts";
import { registerClient } from "./register-client.ts";

const ALL = { path: "/admin/oauth/clients", access: "service", limit: "api" } as const;
const ONE = { ...ALL, path: "/admin/oauth/clients/:id" } as const;

export const oauthClientEndpoints: readonly AuthEndpoint[] = [
  {
    method: "POST",
    path: "/oauth/register",
    access: "public",
    limit: "auth",
    body: REGISTER_BODY,
    run: registerClient,
  },
  { method: "GET", ...ALL, run: listClients },
  { method: "POST", ...ALL, body: CREATE_BODY, run: createClient },
  { method: "GET", ...ONE, run: readClient },
  { method: "PUT", ...ONE, body: CHANGE_BODY, run: changeClient },
  { method: "DELETE", ...ONE, run: removeClient },
  { method: "POST", ...ONE, path: "/admin/oauth/clients/:id/regenerate_secret", run: regenerateClientSecret },
];
