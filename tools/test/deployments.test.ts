import assert from "node:assert/strict";
import { get } from "node:http";
import { describe, it } from "node:test";
import { closeAfter } from "../../server/test/app/program.ts";
import { createTestDatabase } from "../../server/test/support/database.ts";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { startServiceHere } from "../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { readYaml, resolveEnvironment } from "./support/deployed-settings.ts";

interface Deployed {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** What its probes and its proxy ask for. */
  readonly probes: readonly string[];
}

const pod = readYaml("deploy/kubernetes/deployment.yaml").spec.template.spec.containers[0];
const DEPLOYED: readonly Deployed[] = [
  ...["one-node", "three-nodes"].map((name) => ({
    name: `${name}.yaml`,
    env: resolveEnvironment(readYaml(`deploy/compose/${name}.yaml`).services["node-1"].environment),
    probes: ["/ready"],
  })),
  {
    name: "the Kubernetes manifests",
    env: readYaml("deploy/kubernetes/settings.yaml").data,
    probes: [pod.startupProbe, pod.livenessProbe, pod.readinessProbe].map((probe) => probe.httpGet.path),
  },
];

/** As the proxy and the kubelet ask: plain HTTP, here without the headers of a proxy. */
async function probe(port: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

describe("a node with the settings of", () => {
  for (const { name, env, probes } of DEPLOYED) {
    it(`${name} starts and answers its probes`, async (t) => {
      const cleanup = { after: (close: () => Promise<void>) => closeAfter(t, close) };
      const database = await createTestDatabase(cleanup);
      const dataDir = await createTemporaryFolder(cleanup, "swarmbase-deployed-");
      const PORT = String(await findFreePort());
      // What the image sets, and the addresses of this machine.
      const here = {
        NODE_ENV: "production",
        HOST: "127.0.0.1",
        PORT,
        METRICS_PORT: "0",
        WORKERS: "1",
        STOP_DELAY_MS: "0",
        DATABASE_URL: database.adminUrl,
        MASTER_KEY: database.masterKey,
        ...(env["REDIS_URL"] !== undefined && { REDIS_URL: `redis://127.0.0.1:${await findFreePort()}` }),
      };
      const { credentials } = await startServiceHere(cleanup, { dataDir, env: { ...env, ...here } });
      assert.equal(credentials.url, env["PUBLIC_URL"]);
      for (const path of probes) assert.equal(await probe(PORT, path), 200, path);
      assert.notEqual(await probe(PORT, "/auth/v1/health"), 200, "only probes are served without TLS");
    });
  }
});
