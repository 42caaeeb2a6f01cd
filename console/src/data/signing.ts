import { unwrap } from "./failure.ts";
import { useCall, useWrite, type Write } from "./write.ts";

const NAME = "request-signing";

/** Returns the new secret, which is shown only once. The previous secret is invalid at once. */
export function useRenewSigningSecret(): Write<void, string> {
  return useWrite({
    tables: [],
    write: async (client) => {
      const answer = (await unwrap(client.functions.invoke(NAME, { body: { action: "regenerate_secret" } }))) as {
        new_secret: string;
      };
      return answer.new_secret;
    },
  });
}

export function useDeleteSigningSecret(): Write<void, boolean> {
  return useCall((client) => unwrap(client.functions.invoke(NAME, { body: { action: "delete_secret" } })));
}
