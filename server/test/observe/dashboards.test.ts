import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, describe, test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { loadExtensions } from "../../src/extensions/index.ts";
import { createMeter, OBSERVATIONS } from "../../src/observe/index.ts";
import { GAUGES, METRICS } from "../../src/observe/metric-table.ts";

const DEPLOY = new URL("../../../deploy/", import.meta.url);
/** Labels that Prometheus or the collector adds. */
const TARGET_LABELS = ["job", "instance"];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** Extensions that have gauges. */
const EXTENSIONS = ["backup"];
const EXTENSION_GAUGES = (await loadExtensions({ names: EXTENSIONS, environment: {} })).flatMap(
  ({ extension }) => extension.gauges ?? [],
);

/** By the name of a series, the labels that it has; null for metrics of the process, whose labels are not declared here. */
let labelsOf: ReadonlyMap<string, readonly string[] | null>;
let rules: readonly Rule[];
let panels: readonly Panel[];

async function read(path: string): Promise<string> {
  return readFile(new URL(path, DEPLOY), "utf8");
}

/** What is wrong with an expression: its syntax, or series and labels that the service does not have. */
function findFaults(expression: string): readonly string[] {
  // Grafana fills in its own interval.
  const text = expression.replaceAll("$__rate_interval", "5m");
  const faults: string[] = [];
  const labels: string[] = [];
  const known: string[] = [...TARGET_LABELS];
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      const word = text.slice(from, to);
      if (type.isError) faults.push(`is not valid at ${text.slice(from, from + 20)}`);
      if (name === "LabelName") labels.push(word);
      if (name !== "Identifier") return;
      const own = labelsOf.get(word);
      if (own === undefined) faults.push(`names ${word}, which does not exist`);
      else known.push(...(own ?? []));
    },
  });
  return [...faults, ...labels.filter((label) => !known.includes(label)).map((label) => `names the label ${label}`)];
}

describe("dashboard and alerts", () => {
  before(async () => {
    const ofExtensions = EXTENSION_GAUGES.map(({ name }) => ({ name, kind: "gauge" as const, labels: [] }));
    const rows = [
      ...ofExtensions,
      ...METRICS,
      ...Object.entries(GAUGES).map(([name, row]) => ({ ...row, name, kind: "gauge" as const })),
    ];
    const declared = rows.flatMap(({ name, kind, labels }) =>
      kind === "histogram"
        ? ["_bucket", "_sum", "_count"].map((end) => [name + end, [...labels, "le"]] as const)
        : [[name, [...labels]] as const],
    );
    const ofProcess = (await createMeter().read()).map(({ name }) => [name, null] as const);
    labelsOf = new Map<string, readonly string[] | null>([...ofProcess, ...declared]);
    const { groups } = parse(await read("prometheus/alerts.yaml")) as { groups: { rules: Rule[] }[] };
    rules = groups.flatMap((group) => group.rules);
    panels = (JSON.parse(await read("grafana/swarmbase.json")) as { panels: Panel[] }).panels;
  });

  test("every alert has a valid expression over metrics and labels of the service", () => {
    assert.ok(rules.length >= 10);
    for (const { alert, expr } of rules) assert.deepEqual(findFaults(expr), [], alert);
  });

  test("every alert has a unique name, a severity and texts, and names only settings and log events that exist", async () => {
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
    const configuration = await read("../docs/reference/configuration.md");
    for (const { alert, labels, annotations } of rules) {
      assert.match(alert, /^Swarmbase[A-Z]/);
      assert.match(labels.severity, /^(?:warning|critical)$/);
      assert.ok(annotations.summary !== "" && annotations.description !== "", alert);
      for (const [setting] of annotations.description.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g))
        assert.ok(configuration.includes(`\`${setting}\``), `${alert}: ${setting}`);
      for (const [event] of annotations.description.matchAll(/\brequest\.[a-z_]+\b/g))
        assert.ok(Object.hasOwn(OBSERVATIONS, event), `${alert}: ${event}`);
    }
  });

  test("every panel has valid expressions, and its legend uses labels of the result", () => {
    const graphs = panels.filter(({ type }) => type !== "row");
    assert.ok(graphs.length > 20);
    for (const { title, targets = [] } of graphs) {
      assert.ok(targets.length > 0, title);
      for (const { expr, legendFormat } of targets) {
        assert.deepEqual(findFaults(expr), [], title);
        for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          assert.match(expr, new RegExp(`by \\([^)]*\\b${label}\\b`), title);
      }
    }
  });

  test("panels have unique ids and do not overlap", () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(x < 24 && !taken.has(`${x},${y}`), title);
          taken.add(`${x},${y}`);
        }
    }
  });

  test("every metric of the service that is not of the process is on the dashboard", () => {
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(" ");
    const names = [...[...METRICS, ...EXTENSION_GAUGES].map(({ name }) => name), ...Object.keys(GAUGES)];
    // Only its ratio to the free space is of interest, in an alert.
    const missing = names.filter((name) => !shown.includes(name) && name !== "swarmbase_disk_size_bytes");
    assert.deepEqual(missing, []);
  });

  test("the check finds wrong syntax, unknown series and unknown labels", () => {
    assert.notDeepEqual(findFaults("sum(rate(swarmbase_sockets[5m])"), []);
    assert.deepEqual(findFaults("swarmbase_nothing"), ["names swarmbase_nothing, which does not exist"]);
    assert.deepEqual(findFaults('swarmbase_pool_waiting{pol="user"}'), ["names the label pol"]);
  });
});
