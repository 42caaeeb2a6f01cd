import { isRecord } from "../../json/index.ts";
import { apiOf } from "../../sign-in-providers/index.ts";
import type { Fetch } from "../providers/provider-fetch.ts";

/**
 * GitHub has no ID tokens: its API says who the token belongs to, and which addresses are verified. Returns it in the form of
 * claims.
 */
export async function readGithubClaims(
  { issuer, send }: { readonly issuer: string; readonly send: Fetch },
  accessToken: string,
): Promise<Readonly<Record<string, unknown>>> {
  const iss = apiOf(issuer);
  const read = async (path: string): Promise<unknown> => {
    const headers = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${accessToken}`,
      "user-agent": "swarmbase",
    };
    const response = await send(`${iss}${path}`, { headers });
    if (!response.ok) throw new Error(`the API of the provider answered with status ${response.status}`);
    return response.json();
  };
  const user = await read("/user");
  if (!isRecord(user) || typeof user["id"] !== "number") throw new Error("the API of the provider names nobody");
  const { id, name, login: preferred_username, avatar_url: picture } = user;
  const listed = await read("/user/emails");
  const { email, verified } =
    (Array.isArray(listed) ? listed.filter(isRecord).find(({ primary }) => primary === true) : undefined) ?? {};
  return { iss, sub: String(id), name, preferred_username, picture, email, email_verified: verified === true };
}
