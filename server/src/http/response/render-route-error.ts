import type { IncomingMessage } from "node:http";
import { type AppError, type HelpLinks, type RenderedError, renderError, toAppError } from "../../errors/index.ts";
import { requestIdOf } from "../request/request-id.ts";
import type { ErrorForm, RouteRequest } from "../route-request.ts";
import { addAuthMembers } from "./auth-members.ts";

export interface ErrorForms {
  readonly helpLinks: HelpLinks | undefined;
  /** Of a path without a route. */
  unknownPathForm(path: string): ErrorForm | undefined;
}

/** Renders an error in the form of its route. */
export function renderRouteError(error: AppError, request: RouteRequest, forms: ErrorForms): RenderedError {
  const { errorForm, url } = request;
  const form = errorForm === null ? forms.unknownPathForm(url) : errorForm;
  return renderInForm(error, request, { form, helpLinks: forms.helpLinks });
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
