import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeAudit } from "../audit/judge-audit.ts";

const advisory = (id: string, severity: string) => ({
  source: 1,
  name: "parser",
  title: `Hole ${id}`,
  url: `https://advisories.example/${id}`,
  severity,
  range: "<2.0.0",
});
const reportOf = (...via: unknown[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: { parser: { name: "parser", via }, user: { name: "user", via: ["parser"] } },
  });
const TODAY = "2026-06-15";
const accept = (id: string, until: string) => ({ id, reason: "never called", until });

describe("the audit of dependencies", () => {
  it("reports high and critical advisories, each once, and no others", () => {
    const report = reportOf(
      ...["low", "moderate", "high", "critical"].map((severity) => advisory(`GHSA-${severity}`, severity)),
      advisory("GHSA-high", "high"),
    );
    assert.deepEqual(judgeAudit(report, [], TODAY), {
      kind: "judged",
      faults: [
        "GHSA-high: high, parser <2.0.0: Hole GHSA-high",
        "GHSA-critical: critical, parser <2.0.0: Hole GHSA-critical",
      ],
      accepted: [],
    });
  });

  it("accepts a listed advisory until it expires, and reports an entry that is no longer needed", () => {
    const report = reportOf(advisory("GHSA-1", "high"));
    const faults = (...accepted: ReturnType<typeof accept>[]) => {
      const verdict = judgeAudit(report, accepted, TODAY);
      assert.ok(verdict.kind === "judged");
      return verdict.faults.map((line) => line.slice(0, 6) + line.slice(line.lastIndexOf("(")));
    };
    assert.deepEqual(faults(accept("GHSA-1", TODAY)), []);
    assert.deepEqual(faults(accept("GHSA-1", "2026-06-14")), ["GHSA-1(was accepted until 2026-06-14)"]);
    assert.equal(faults(accept("GHSA-1", TODAY), accept("GHSA-2", TODAY)).length, 1);
  });

  it("returns the reason when there is no report", () => {
    for (const text of ["", "<html>", "[]", JSON.stringify({ error: { code: "ENOTFOUND" } })]) {
      assert.deepEqual(judgeAudit(text, [], TODAY), { kind: "not-run", reason: "the registry does not answer" });
    }
    const failed = judgeAudit(JSON.stringify({ statusCode: 405, body: "" }), [], TODAY);
    assert.match(failed.kind === "not-run" ? failed.reason : "", /HTTP 405/);
    assert.deepEqual(judgeAudit(JSON.stringify({ vulnerabilities: {} }), [], TODAY), {
      kind: "judged",
      faults: [],
      accepted: [],
    });
  });
});
