import { nameTypedCommands } from "../typed-command.ts";

/** The result of a check; a fault or a warning also says why it matters and what to do. */
export type Finding =
  | { readonly check: string; readonly level: "ok"; readonly what: string }
  /** With a fault, the service or an enabled part of it does not work or is not secure. */
  | ({ readonly check: string; readonly level: "warning" | "fault" } & Problem);

interface Problem {
  readonly what: string;
  readonly why: string;
  readonly advice: string;
}

export interface Findings {
  ok(check: string, what: string): void;
  warn(check: string, problem: Problem): void;
  fault(check: string, problem: Problem): void;
}

export function collectFindings(): Findings & { readonly all: readonly Finding[] } {
  const all: Finding[] = [];
  return {
    all,
    ok: (check, what) => void all.push({ check, level: "ok", what }),
    warn: (check, problem) => void all.push({ check, level: "warning", ...problem }),
    fault: (check, problem) => void all.push({ check, level: "fault", ...problem }),
  };
}

const MARKS = { ok: "ok   ", warning: "warn ", fault: "FAULT" } as const;

export function renderFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap((finding) => [
    `${MARKS[finding.level]}  ${finding.check.padEnd(12)}  ${finding.what}`,
    ...(finding.level === "ok"
      ? []
      : [`${" ".repeat(21)}why: ${finding.why}`, `${" ".repeat(21)}do:  ${finding.advice}`]),
  ]);
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const summary =
    faults + warnings === 0
      ? "No problems found."
      : `${plural(faults, "fault")}, ${plural(warnings, "warning")}, ${count("ok")} ok.`;
  return `${nameTypedCommands(lines.join("\n"))}\n\n${summary}\n`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
