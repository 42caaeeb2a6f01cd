import type { AuthEndpoint } from "../call.ts";
import { ACCOUNT_BODY } from "./account-body.ts";
import { listAccountFactors, removeAccountFactor } from "./account-factors.ts";
import { listAccountPasskeys, removeAccountPasskey } from "./account-passkeys.ts";
import { changeAccount, signOutAccount } from "./change-account.ts";
import { createAccount, INVITE_BODY, inviteAccount } from "./create-account.ts";
import { generateLink, LINK_BODY } from "./generate-link.ts";
import { listHooks } from "./list-hooks.ts";
import { listAccounts, readAccount } from "./read-accounts.ts";
import { REMOVE_BODY, removeAccount } from "./remove-account.ts";

export const adminEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/admin/users", access: "service", limit: "api", body: ACCOUNT_BODY, run: createAccount },
  { method: "GET", path: "/admin/users", access: "service", limit: "api", run: listAccounts },
  { method: "GET", path: "/admin/users/:id", access: "service", limit: "api", run: readAccount },
  { method: "PUT", path: "/admin/users/:id", access: "service", limit: "api", body: ACCOUNT_BODY, run: changeAccount },
  {
    method: "DELETE",
    path: "/admin/users/:id",
    access: "service",
    limit: "api",
    body: REMOVE_BODY,
    run: removeAccount,
  },
  { method: "GET", path: "/admin/hooks", access: "service", limit: "api", run: listHooks },
  { method: "POST", path: "/admin/users/:id/logout", access: "service", limit: "api", run: signOutAccount },
  { method: "GET", path: "/admin/users/:id/factors", access: "service", limit: "api", run: listAccountFactors },
  {
    method: "DELETE",
    path: "/admin/users/:id/factors/:factorId",
    access: "service",
    limit: "api",
    run: removeAccountFactor,
  },
  { method: "GET", path: "/admin/users/:id/passkeys", access: "service", limit: "api", run: listAccountPasskeys },
  {
    method: "DELETE",
    path: "/admin/users/:id/passkeys/:passkeyId",
    access: "service",
    limit: "api",
    run: removeAccountPasskey,
  },
  { method: "POST", path: "/admin/generate_link", access: "service", limit: "api", body: LINK_BODY, run: generateLink },
  { method: "POST", path: "/invite", access: "service", limit: "api", body: INVITE_BODY, run: inviteAccount },
];
