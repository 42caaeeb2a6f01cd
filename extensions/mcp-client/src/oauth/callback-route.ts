import { createHash } from "node:crypto";
import { AppError, type ExtensionRequest, type ExtensionRoute } from "swarmbase/extension";
import type { SETTINGS } from "../settings.ts";
import { findReturn } from "../sql/authorizations.ts";

/** Where the authorization servers of MCP servers send browsers back. */
export const CALLBACK_PATH = "/oauth/callback";

const PARAMETERS = ["code", "state", "iss", "error"] as const;
const MAX_CHARS = 4_096;

/**
 * Sends the browser on to the app. The route stores nothing: the app finishes the authorization as the signed-in user, because a
 * link to somebody else's sign-in would otherwise give that person the tokens of whoever follows it.
 */
export const CALLBACK_ROUTE: ExtensionRoute<typeof SETTINGS> = {
  method: "GET",
  path: CALLBACK_PATH,
  access: "public",
  limit: "api",
  isHeadRejected: true,
  async handler(request, { database }) {
    const answer = readAnswer(request);
    const found = await findReturn(database, hashOf(answer.get("state") ?? ""));
    if (found === null)
      throw new AppError("VALIDATION_ERROR", "This authorization has ended or does not exist: start it again", {
        details: { state: "is not that of an authorization that waits" },
      });
    const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
    if (found.redirect_to === null) {
      const lines = [...answer].map((pair) => pair.join(": ")).join("\n");
      return {
        headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
        body: `Return to the application, and finish with:\n\n${lines}\n`,
      };
    }
    const target = new URL(found.redirect_to);
    // A fragment appears in no log and no Referer.
    target.hash = answer.toString();
    return { status: 303, headers: { ...headers, location: target.href } };
  },
};

/** As the database stores it. */
export function hashOf(state: string): Buffer {
  return createHash("sha256").update(state).digest();
}

function readAnswer({ search }: ExtensionRequest): URLSearchParams {
  const given = new URLSearchParams(search);
  const answer = new URLSearchParams();
  for (const name of PARAMETERS) {
    const [value, ...others] = given.getAll(name);
    if (value !== undefined && others.length === 0 && value.length <= MAX_CHARS) answer.set(name, value);
  }
  return answer;
}
