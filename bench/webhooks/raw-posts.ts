import { Agent, request } from "undici";
import type { Contender } from "./contender.ts";
import type { Stage } from "./stage.ts";

const CONNECTIONS = 64;

/** The limit: the same bodies to the same receiver, and nothing else. */
export function openRawPosts({ url, ca, count }: Stage): Contender {
  const agent = new Agent({ connections: CONNECTIONS, connect: { ca } });
  const body = JSON.stringify({ text: "x".repeat(1_000) });
  const headers = { "content-type": "application/json" };
  return {
    name: "bare POSTs",
    fill: async () => {},
    drain: async ({ deliveries, endpoints }) => {
      let made = 0;
      const post = async (): Promise<void> => {
        while (made < deliveries) {
          made += 1;
          const path = `${url}/${1 + (made % endpoints)}`;
          const answer = await request(path, { method: "POST", dispatcher: agent, headers, body });
          if (answer.statusCode !== 200 || (await answer.body.text()) !== "ok") throw new Error("not the answer");
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, post));
      if ((await count()).received !== deliveries) throw new Error("the receiver counted something else");
    },
    close: () => agent.close(),
  };
}
