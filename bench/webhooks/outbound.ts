import { fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createAddressPolicy, openOutbound } from "@swarmbase/guarded-fetch";
import { Agent, request } from "undici";
import { makeAuthority, makeLeaf } from "../../server/src/http/server/tls/certificate.ts";
import { type Contender, compare, renderCompared } from "../load/compare.ts";

const CONNECTIONS = 8;
const BODY_BYTES = 1024;
const ROUND_MS = 500;
const SECRET = "whsec_bench";

const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const authority = makeAuthority(validity);
const receiver = fork(`${import.meta.dirname}/outbound-receiver.ts`);
receiver.send(makeLeaf(authority, validity));
const [port] = (await once(receiver, "message")) as [number];

const url = `https://127.0.0.1:${port}/hooks`;
const body = Buffer.alloc(BODY_BYTES, "x");
const outbound = openOutbound({
  policy: createAddressPolicy({ allowedCidrs: ["127.0.0.0/8"] }),
  ca: [authority.cert],
  connectionsPerOrigin: CONNECTIONS,
  maxOrigins: 10,
});
const agent = new Agent({ connections: CONNECTIONS, connect: { ca: authority.cert } });

function sign(): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest("hex");
  return {
    "content-type": "application/json",
    "x-service-timestamp": timestamp,
    "x-service-signature": `sha256=${signature}`,
  };
}

const guarded: Contender = {
  name: `signed POSTs of 1 KiB through outbound, ${CONNECTIONS} connections`,
  concurrency: CONNECTIONS,
  perCall: 1,
  work: async () => {
    const result = await outbound.post({ url, headers: sign(), body, timeoutMs: 10_000 });
    if (result.kind !== "answered" || result.status !== 200) throw new Error(JSON.stringify(result));
  },
};
const raw = (name: string, deadlineMs: number | null): Contender => ({
  name: `the same through undici's request, ${name}`,
  concurrency: CONNECTIONS,
  perCall: 1,
  work: async () => {
    const signal = deadlineMs === null ? null : AbortSignal.timeout(deadlineMs);
    const answer = await request(url, { method: "POST", dispatcher: agent, headers: sign(), body, signal });
    if (answer.statusCode !== 200 || (await answer.body.text()) !== "ok")
      throw new Error("The receiver did not answer.");
  },
});

const withoutDeadline = raw("without a deadline", null);
const withDeadline = raw("with a deadline for the whole", 10_000);
try {
  const results = [
    await compare(
      { name: "Guarded against unguarded", subject: guarded, yardstick: withoutDeadline },
      { roundMs: ROUND_MS },
    ),
    await compare(
      { name: "The same, like for like", subject: guarded, yardstick: withDeadline },
      { roundMs: ROUND_MS },
    ),
  ];
  process.stdout.write(`${results.map(renderCompared).join("\n\n")}\n`);
} finally {
  await outbound.close();
  await agent.close();
  receiver.disconnect();
}
