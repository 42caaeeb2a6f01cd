import type { Authorization } from "../../data/connected-programs.ts";
import { describeScope } from "../../components/access-texts.ts";
import { toProgramName } from "../../components/program-name.ts";

interface Target {
  readonly address: string;
  readonly warning: string | null;
}

/** Where the answer goes, in words, and what to think of before. */
export function describeTarget({ redirect_uri: uri, is_loopback_redirect: isLoopback }: Authorization): Target {
  const { protocol = "", host = "" } = URL.parse(uri) ?? {};
  if (protocol === "https:" && !isLoopback) return { address: host, warning: null };
  return {
    address: `a program on this computer (${protocol === "http:" ? host : protocol})`,
    warning:
      "Any program on this computer could receive the answer. Allow this only if you have just begun to connect the program yourself.",
  };
}

/** How the request differs from what the person agreed to before. */
export function describeChanges({ client, scopes, redirect_uri: uri, previous, ...asked }: Authorization): string {
  if (previous === null) return "";
  const more = scopes.filter((scope) => !previous.scopes.includes(scope)).map((scope) => describeScope(scope).label);
  const name = toProgramName(previous.client_name);
  return [
    ...(more.length > 0 ? [`Now it asks for more: ${more.join(", ")}.`] : []),
    ...(name === toProgramName(client.name) ? [] : [`Its name was ${name}.`]),
    // The port of a program on this computer is another one each time.
    ...(asked.is_loopback_redirect || previous.redirect_uris.includes(uri) ? [] : ["The answer went elsewhere."]),
  ].join(" ");
}
