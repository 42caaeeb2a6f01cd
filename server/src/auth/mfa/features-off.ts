import type { AppError } from "../../errors/index.ts";
import type { AuthEndpoint } from "../call.ts";

export interface Refusals extends Pick<AuthEndpoint, "access"> {
  readonly endpoints: readonly (readonly [AuthEndpoint["method"], string])[];
  makeError(): AppError;
}

/** Endpoints that the client library knows and that only say why they do nothing. */
export function buildRefusals({ access, endpoints, makeError }: Refusals): AuthEndpoint[] {
  return endpoints.map(([method, path]) => ({
    method,
    path,
    access,
    limit: "api",
    run: () => Promise.reject(makeError()),
  }));
}
