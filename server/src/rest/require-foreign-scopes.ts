import { isPortal, keyNotAllowedError, portalError, rejectPortal, requireScope } from "../db/index.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import type { TouchedName } from "./plan/names-of.ts";
import type { RequestShape } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";

/**
 * The tables of the service have rules for API keys; tables and functions of developers have none. They need `read`, and `write` for
 * what may write. A key that is bound to resources does not reach them, because nothing tells which of their rows belong to these. The
 * portal reaches a few names alone.
 */
export function requireForeignScopes(
  { principal, isReadOnly = false }: Pick<RestCall, "principal" | "isReadOnly">,
  { plan, isForeign, isOfPortal }: RequestShape,
  isOwn: (name: TouchedName) => boolean,
): void {
  const { scopes, resources = null } = principal;
  if (isPortal(principal) && isOfPortal) return;
  rejectPortal(principal);
  if (scopes === undefined || !isForeign) return;
  if (resources !== null) throw keyNotAllowedError(principal);
  const isWrite = plan.kind === "write" && !isOwn({ kind: "relation", ...plan.write.relation });
  if (isWrite || (plan.kind === "call" && plan.call.mayWrite && !isReadOnly)) requireScope(principal, "write");
  const readsNothing = plan.kind === "write" && plan.write.kind === "insert" && plan.shown === null;
  if (!readsNothing) requireScope(principal, "read");
}

/** Before the request is planned, so that the portal learns nothing about other names, not even whether they exist. */
export function requirePortalTarget(
  { principal }: Pick<RestCall, "principal">,
  { target, schema }: Pick<ParsedRequest, "target" | "schema">,
  isOfPortal: (name: TouchedName) => boolean,
): void {
  if (!isPortal(principal)) return;
  const kind = target.kind === "rpc" ? "function" : "relation";
  if (target.kind === "root" || !isOfPortal({ kind, schema, name: target.name })) throw portalError();
}
