import type { AuthEndpoint } from "../call.ts";
import { ACCOUNT_BODY } from "./account-body.ts";
import {
  listAccountFactors,
  listAccountPasskeys,
  removeAccountFactor,
  removeAccountPasskey,
} from "./account-factors.ts";
import { checkSignInProvider, listHooks, listSignInProviders } from "./called-services.ts";
import { changeAccount, signOutAccount } from "./change-account.ts";
import { createAccount, INVITE_BODY, inviteAccount } from "./create-account.ts";
import { generateLink, LINK_BODY } from "./generate-link.ts";
import { listAccounts, readAccount } from "./read-accounts.ts";
import { REMOVE_BODY, removeAccount } from "./remove-account.ts";

const ADMIN = { access: "service", limit: "api" } as const;

export const adminEndpoints: readonly AuthEndpoint[] = [
  { ...ADMIN, method: "POST", path: "/admin/users", body: ACCOUNT_BODY, run: createAccount },
  { ...ADMIN, method: "GET", path: "/admin/users", run: listAccounts },
  { ...ADMIN, method: "GET", path: "/admin/users/:id", run: readAccount },
  { ...ADMIN, method: "PUT", path: "/admin/users/:id", body: ACCOUNT_BODY, run: changeAccount },
  { ...ADMIN, method: "DELETE", path: "/admin/users/:id", body: REMOVE_BODY, run: removeAccount },
  { ...ADMIN, method: "GET", path: "/admin/hooks", run: listHooks },
  { ...ADMIN, method: "POST", path: "/admin/users/:id/logout", run: signOutAccount },
  { ...ADMIN, method: "GET", path: "/admin/users/:id/factors", run: listAccountFactors },
  { ...ADMIN, method: "DELETE", path: "/admin/users/:id/factors/:factorId", run: removeAccountFactor },
  { ...ADMIN, method: "GET", path: "/admin/users/:id/passkeys", run: listAccountPasskeys },
  { ...ADMIN, method: "DELETE", path: "/admin/users/:id/passkeys/:passkeyId", run: removeAccountPasskey },
  { ...ADMIN, method: "GET", path: "/admin/sign-in-providers", run: listSignInProviders },
  { ...ADMIN, method: "POST", path: "/admin/sign-in-providers/:name/check", run: checkSignInProvider },
  { ...ADMIN, method: "POST", path: "/admin/generate_link", body: LINK_BODY, run: generateLink },
  { ...ADMIN, method: "POST", path: "/invite", body: INVITE_BODY, run: inviteAccount },
];
