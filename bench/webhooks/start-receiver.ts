import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { makeAuthority, makeLeaf } from "../../server/src/http/server/tls/certificate.ts";
import type { Closers } from "../load/closers.ts";

export interface WebhookReceiver {
  readonly url: string;
  /** The number of deliveries since the last call. */
  count(): Promise<number>;
}

const DAY_MS = 86_400_000;

/** An endpoint over TLS in a separate process. The file gets the authority of its certificate. */
export async function startReceiver(caFile: string, closers: Closers): Promise<WebhookReceiver> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const authority = makeAuthority(validity);
  await writeFile(caFile, authority.cert);
  const child = fork(resolve(import.meta.dirname, "receiver.ts"));
  closers.add(async () => child.disconnect());
  child.send(makeLeaf(authority, validity));
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return {
    url: `https://127.0.0.1:${port}/`,
    count: async () => {
      child.send({});
      const [{ received }] = (await once(child, "message")) as [{ received: number }];
      return received;
    },
  };
}
