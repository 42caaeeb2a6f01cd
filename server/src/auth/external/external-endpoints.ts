import type { AuthEndpoint } from "../call.ts";
import { beginLinking, beginSignIn } from "./begin-sign-in.ts";
import { finishSignIn } from "./finish-sign-in.ts";
import { unlinkIdentity } from "./link-identity.ts";

export const externalEndpoints: readonly AuthEndpoint[] = [
  { method: "GET", path: "/authorize", access: "public", limit: "api", run: beginSignIn },
  { method: "GET", path: "/callback", access: "public", limit: "api", run: finishSignIn },
  { method: "POST", path: "/callback", access: "public", limit: "api", run: finishSignIn },
  { method: "GET", path: "/user/identities/authorize", access: "user", limit: "api", run: beginLinking },
  { method: "DELETE", path: "/user/identities/:id", access: "user", limit: "api", run: unlinkIdentity },
];
