import { agentToolName } from "../tool-names.ts";

const FAILURES = ["rate_limit", "timeout", "5xx", "midstream", "refusal"] as const;
export type Failure = (typeof FAILURES)[number];

interface DirectedCall {
  readonly tool: string;
  readonly inputText: string;
}

interface Directives {
  /** A step is the concurrent calls of one line. */
  readonly steps: readonly (readonly DirectedCall[])[];
  readonly failure: Failure | null;
  readonly sleepMs: number;
}

const MAX_SLEEP_MS = 600_000;

/** Reads the directives for the agent with this name. Ignores lines that are not directives. */
export function readDirectives(text: string, agentName: string): Directives {
  const steps: (readonly DirectedCall[])[] = [];
  let failure: Failure | null = null;
  let sleepMs = 0;
  for (const line of text.split("\n").map((each) => each.trim())) {
    const [, verb, rest = ""] = /^\/(tool|handoff|fail|sleep)\s+(.*)$/.exec(line) ?? [];
    const [first = "", ...name] = rest.split(/\s+/);
    const isAddressed = name.length === 0 || name.join(" ").toLowerCase() === agentName.toLowerCase();
    if (verb === "tool") steps.push(readCalls(line));
    else if (verb === "handoff") steps.push([{ tool: agentToolName("handoff_to_", rest), inputText: "{}" }]);
    else if (verb === "fail" && isAddressed) failure = FAILURES.find((known) => known === first) ?? failure;
    else if (verb === "sleep" && isAddressed && /^\d{1,6}$/.test(first))
      sleepMs = Math.min(MAX_SLEEP_MS, Number(first));
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
