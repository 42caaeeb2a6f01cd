import type { FastifyRequest } from "fastify";
import { type AppError, type HelpLinks, type RenderedError, renderError, toAppError } from "../../errors/index.ts";
import type { ErrorForm } from "../route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How the route renders its errors; undefined for the common form. */
    renderError?: ErrorForm;
  }
}

/** Renders an error in the form of its route. A form that fails is replaced by the common one, of an internal error. */
export function renderRouteError(
  error: AppError,
  request: FastifyRequest,
  options: { readonly helpLinks: HelpLinks | undefined; unknownPathForm(path: string): ErrorForm },
): RenderedError {
  const { helpLinks } = options;
  const common = renderError(error, helpLinks);
  const render = request.is404 ? options.unknownPathForm(request.url) : request.routeOptions.config.renderError;
  if (render === undefined) return common;
  try {
    const { status = common.status, headers = {}, body } = render(error, request);
    return { status, headers: { ...common.headers, ...headers }, body };
  } catch (cause) {
    return renderError(toAppError(cause), helpLinks);
  }
}
