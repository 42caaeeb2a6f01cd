import { ToolFailure } from "../../errors/index.ts";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import { invalidInput } from "./invalid-input.ts";
import type { ToolCall, ToolConfigFault, ToolKind, ToolKinds } from "./tool-kind.ts";
import type { ToolWait } from "./tool-port.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** As `messages.content` allows. */
const MAX_MESSAGE_CHARS = 100_000;
const INPUT_SCHEMA = {
  type: "object",
  properties: {
    message: {
      type: "string",
      minLength: 1,
      maxLength: MAX_MESSAGE_CHARS,
      description:
        "What to do, with everything that has to be known for it: nothing else of this conversation is read.",
    },
  },
  required: ["message"],
  additionalProperties: false,
} as const;

/** The agents of a swarm work on the input of a call, in a conversation of its own. The run waits for their answer. */
const SWARM_KIND: ToolKind = {
  findConfigFaults,
  describe: () => ({ inputSchema: INPUT_SCHEMA, description: null }),
  run: async (call) => ({ text: "", isCut: false, attempts: 1, wait: describeSubTask(call) }),
};

/** The kinds that extensions add, and this one. */
export function withSwarmKind(kinds: ToolKinds): ToolKinds {
  return new Map([...kinds, ["swarm", SWARM_KIND]]);
}

function findConfigFaults(config: JsonRecord): readonly ToolConfigFault[] {
  const { swarm_id: swarmId, budget = {}, ...others } = config;
  const { max_tokens: tokens = 0, max_cost_usd: cost = 0, ...unknown } = isRecord(budget) ? budget : {};
  const isAmount = (value: unknown): value is number =>
    typeof value === "number" && Number.isFinite(value) && value >= 0;
  return [
    ...(typeof swarmId === "string" && UUID.test(swarmId)
      ? []
      : [{ path: "swarm_id", message: "must be the id of a swarm" }]),
    ...(isRecord(budget) ? [] : [{ path: "budget", message: "must be a JSON object" }]),
    ...(isAmount(tokens) && Number.isSafeInteger(tokens)
      ? []
      : [{ path: "budget.max_tokens", message: "must be an integer that is not negative" }]),
    ...(isAmount(cost) ? [] : [{ path: "budget.max_cost_usd", message: "must be a number that is not negative" }]),
    ...[...Object.keys(others), ...Object.keys(unknown).map((name) => `budget.${name}`)].map((path) => ({
      path,
      message: "is not known",
    })),
  ];
}

/** A tool with arguments of its own passes all of them on, as JSON. */
function describeSubTask({ swarmId, config, input, traceparent }: ToolCall): ToolWait {
  if (swarmId === null) throw new ToolFailure("TOOL_UNUSABLE", "The tool works only within a swarm.");
  const { message: text, ...others } = input;
  const message = typeof text === "string" && Object.keys(others).length === 0 ? text : JSON.stringify(input);
  if (message.trim() === "" || Array.from(message).length > MAX_MESSAGE_CHARS)
    throw invalidInput(`The input must have 1 to ${MAX_MESSAGE_CHARS} characters.`);
  const { swarm_id: id, budget } = config;
  return {
    kind: "sub_task",
    message,
    swarm_id: String(id),
    ...(isRecord(budget) && { budget }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
