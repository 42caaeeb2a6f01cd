const FAILURES = ["rate_limit", "timeout", "5xx", "midstream", "refusal"] as const;
export type Failure = (typeof FAILURES)[number];

interface DirectedCall {
  readonly tool: string;
  readonly inputText: string;
}

export interface Directives {
  /** Each step is what one line asks for: calls to be made together. */
  readonly steps: readonly (readonly DirectedCall[])[];
  readonly failure: Failure | null;
  readonly sleepMs: number;
  /** Steps that have been answered already. */
  readonly stepsDone: number;
}

const MAX_SLEEP_MS = 600_000;

/** What the words ask of the one who is called `agentName`. Lines that are no directive are words. */
export function readDirectives(text: string, agentName: string): Omit<Directives, "stepsDone"> {
  const steps: (readonly DirectedCall[])[] = [];
  let failure: Failure | null = null;
  let sleepMs = 0;
  for (const line of text.split("\n").map((each) => each.trim())) {
    const [, verb, rest = ""] = /^\/(tool|handoff|fail|sleep)\s+(.*)$/.exec(line) ?? [];
    const [first = "", ...name] = rest.split(/\s+/);
    const isMeant = name.length === 0 || name.join(" ").toLowerCase() === agentName.toLowerCase();
    if (verb === "tool") steps.push(readCalls(line));
    else if (verb === "handoff") steps.push([{ tool: `handoff_to_${slugOf(rest)}`, inputText: "{}" }]);
    else if (verb === "fail" && isMeant) failure = FAILURES.find((known) => known === first) ?? failure;
    else if (verb === "sleep" && isMeant && /^\d{1,6}$/.test(first)) sleepMs = Math.min(MAX_SLEEP_MS, Number(first));
  }
  return { steps, failure, sleepMs };
}

function readCalls(line: string): readonly DirectedCall[] {
  return line
    .split(/(?:^|\s)\/tool\s+/)
    .slice(1)
    .map((call) => {
      const [, tool = "", inputText = ""] = /^(\S+)\s*(.*)$/.exec(call.trim()) ?? [];
      return { tool, inputText: inputText === "" ? "{}" : inputText };
    });
}

function slugOf(name: string): string {
  const plain = name.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  return (
    plain
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 40) || "agent"
  );
}
