import type { IncomingMessage } from "node:http";
import { type AppError, type HelpLinks, type RenderedError, renderError, toAppError } from "../../errors/index.ts";
import { requestIdOf } from "../request/request-id.ts";
import type { ErrorForm, RouteRequest } from "../route-request.ts";
import { addAuthMembers } from "./auth-members.ts";

/** What a program asks for that names no scopes. */
const DEFAULT_SCOPE = 'scope="read run"';

export interface ErrorForms {
  readonly helpLinks: HelpLinks | undefined;
  readonly resourceMetadataOf: ((resource: string) => string) | undefined;
  /** Of a path without a route. */
  unknownPathForm(path: string): ErrorForm | undefined;
}

/** Renders an error in the form of its route. The challenge tells programs how they get a token (RFC 9728). */
export function renderRouteError(error: AppError, request: RouteRequest, forms: ErrorForms): RenderedError {
  const { errorForm, url } = request;
  const form = errorForm === null ? forms.unknownPathForm(url) : errorForm;
  const rendered = renderInForm(error, request, { form, helpLinks: forms.helpLinks });
  const { "www-authenticate": challenge } = rendered.headers;
  if (challenge === undefined || request.resource === null || forms.resourceMetadataOf === undefined) return rendered;
  const metadata = `resource_metadata="${forms.resourceMetadataOf(request.resource)}"`;
  // Further scopes are asked for when a call needs them.
  const added = challenge.includes("scope=") ? [metadata] : [metadata, DEFAULT_SCOPE];
  const separator = challenge.includes("=") ? ", " : " ";
  return {
    ...rendered,
    headers: { ...rendered.headers, "www-authenticate": `${challenge}${separator}${added.join(", ")}` },
  };
}

/** Renders the error of a request that reaches no route. */
export type RawErrorRenderer = (error: AppError, request: IncomingMessage) => RenderedError;

export function buildRawErrorRenderer({ helpLinks, unknownPathForm }: ErrorForms): RawErrorRenderer {
  return (error, request) => {
    const { url = "", headers } = request;
    const shown = addAuthMembers(error, url);
    return renderInForm(shown, { id: requestIdOf(request), headers }, { form: unknownPathForm(url), helpLinks });
  };
}

/** A form that fails is replaced by the common one, of an internal error. */
function renderInForm(
  error: AppError,
  request: Pick<RouteRequest, "id" | "headers">,
  { form, helpLinks }: { readonly form: ErrorForm | undefined; readonly helpLinks: HelpLinks | undefined },
): RenderedError {
  const common = renderError(error, helpLinks);
  if (form === undefined) return common;
  try {
    const { status = common.status, headers = {}, body } = form(error, request);
    return { status, headers: { ...common.headers, ...headers }, body };
  } catch (cause) {
    return renderError(toAppError(cause), helpLinks);
  }
}
