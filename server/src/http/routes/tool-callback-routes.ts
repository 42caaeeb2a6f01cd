import type { FastifyRequest } from "fastify";
import type { Authorizations } from "../../agents/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Route } from "./route.ts";

/** Where the authorization servers of MCP servers send browsers back. */
export const TOOL_CALLBACK_PATH = "/oauth/callback";

const PARAMETERS = ["code", "state", "iss", "error"] as const;
const MAX_CHARS = 4_096;

/**
 * Sends the browser on to the app. The route stores nothing: the app finishes the authorization as the signed-in user, because a
 * link to somebody else's sign-in would otherwise give that person the tokens of whoever follows it.
 */
export function toolCallbackRoutes({ findReturn }: Pick<Authorizations, "findReturn">): Route[] {
  return [
    {
      method: "GET",
      path: TOOL_CALLBACK_PATH,
      access: "public",
      limit: "api",
      isHeadRejected: true,
      async handler(request, reply) {
        const answer = readAnswer(request);
        const found = await findReturn(answer.get("state") ?? "");
        if (found === null)
          throw new AppError("VALIDATION_ERROR", "This authorization has ended or does not exist: start it again", {
            details: { state: "is not that of an authorization that waits" },
          });
        void reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
        if (found.redirectTo === null)
          return reply
            .header("content-type", "text/plain; charset=utf-8")
            .send(
              `Return to the application, and finish with:\n\n${[...answer].map((pair) => pair.join(": ")).join("\n")}\n`,
            );
        const target = new URL(found.redirectTo);
        // A fragment appears in no log and no Referer.
        target.hash = answer.toString();
        return reply.redirect(target.href, 303);
      },
    },
  ];
}

function readAnswer({ query }: FastifyRequest): URLSearchParams {
  const given = query as Readonly<Record<string, unknown>>;
  const answer = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = given[name];
    if (typeof value === "string" && value.length <= MAX_CHARS) answer.set(name, value);
  }
  return answer;
}
