import type { AcceptedAdvisory } from "./accepted-advisories.ts";

export type Verdict =
  | { readonly kind: "not-run"; readonly reason: string }
  | { readonly kind: "judged"; readonly faults: readonly string[]; readonly accepted: readonly string[] };

interface Advisory {
  readonly id: string;
  readonly severity: string;
  readonly line: string;
}

const SEVERE: ReadonlySet<unknown> = new Set(["high", "critical"]);

/** Evaluates the report of `npm audit --json` on this day. If the text is not a report, nothing was audited. */
export function judgeAudit(text: string, accepted: readonly AcceptedAdvisory[], today: string): Verdict {
  const report = parseRecord(text);
  const vulnerabilities = recordOf(report?.["vulnerabilities"]);
  if (report === null || vulnerabilities === null) return { kind: "not-run", reason: describeFailure(report) };

  const advisories = Object.values(vulnerabilities).flatMap(findAdvisories);
  const severe = new Map(advisories.filter(({ severity }) => SEVERE.has(severity)).map((one) => [one.id, one]));
  const faults: string[] = [];
  const passed: string[] = [];
  for (const { id, line } of severe.values()) {
    const exception = accepted.find((one) => one.id === id);
    if (exception === undefined) faults.push(line);
    else if (exception.until < today) faults.push(`${line} (was accepted until ${exception.until})`);
    else passed.push(`${line} (accepted until ${exception.until}: ${exception.reason})`);
  }
  const unused = accepted.filter(({ id }) => !severe.has(id));
  return {
    kind: "judged",
    faults: [...faults, ...unused.map(({ id }) => `${id}: is accepted, but no dependency has it any more`)],
    accepted: passed,
  };
}

/**
 * A vulnerability of the package itself is an object; one that comes from a dependency is the name of that dependency,
 * which has its own entry.
 */
function findAdvisories(vulnerability: unknown): Advisory[] {
  const via = recordOf(vulnerability)?.["via"];
  if (!Array.isArray(via)) return [];
  return via.flatMap((entry: unknown) => {
    const fields = recordOf(entry);
    if (fields === null) return [];
    const [name, title, url, severity, range] = ["name", "title", "url", "severity", "range"].map((key) =>
      textOf(fields[key]),
    );
    const id = (url || title || "").split("/").at(-1) ?? "";
    return { id, severity: severity ?? "", line: `${id}: ${severity}, ${name} ${range}: ${title}` };
  });
}

function describeFailure(report: Record<string, unknown> | null): string {
  const status = report?.["statusCode"];
  return typeof status === "number"
    ? `the registry does not answer audits (HTTP ${status})`
    : "the registry does not answer";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parseRecord(text: string): Record<string, unknown> | null {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function recordOf(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
