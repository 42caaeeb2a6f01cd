import type { AuthEndpoint } from "../../src/auth/call.ts";
import { renderError } from "../../src/errors/index.ts";
import type { TestAuthContext } from "./support/auth-context.ts";

export const AUTH_URL = "https://localhost:8443/auth/v1";

/** A fetch that calls the endpoint directly, without a network. */
export function createFetch(stage: TestAuthContext): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const bearer = new Headers(init.headers).get("authorization")?.replace(/^Bearer /, "");
    const text = typeof init.body === "string" ? init.body : undefined;
    try {
      const answer = await stage.call(
        (init.method ?? "GET") as AuthEndpoint["method"],
        url.pathname.replace(/^\/auth\/v1/, ""),
        {
          query: Object.fromEntries(url.searchParams),
          ...(bearer !== undefined && { token: bearer }),
          ...(text !== undefined && { body: JSON.parse(text) as unknown }),
        },
      );
      const body = answer.body === undefined ? null : JSON.stringify(answer.body);
      return new Response(body, { status: answer.status, headers: { ...answer.headers } });
    } catch (error) {
      const { status, headers, body } = renderError(error);
      return new Response(body, { status, headers });
    }
  };
}
