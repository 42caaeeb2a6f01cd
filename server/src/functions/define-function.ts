import { AppError } from "../errors/index.ts";
import type { FunctionAnswer, FunctionDescription, NamedFunction, WarnableCall } from "./function-call.ts";

type Run = (call: WarnableCall) => Promise<FunctionAnswer>;

/** A function whose answers, and refusals, have what it warns of. */
export function defineFunction(facts: FunctionDescription, run: Run): NamedFunction {
  return {
    ...facts,
    async run(call) {
      const warnings: string[] = [];
      try {
        const answer = await run({ ...call, warn: (message) => void warnings.push(message) });
        return warnings.length === 0 ? answer : addWarnings(answer, warnings);
      } catch (error) {
        if (!(error instanceof AppError) || warnings.length === 0) throw error;
        const members = { ...error.extra.members, warnings };
        throw new AppError(error.code, error.message, { ...error.extra, members });
      }
    },
  };
}

function addWarnings(answer: FunctionAnswer, warnings: readonly string[]): FunctionAnswer {
  if ("stream" in answer) return { ...answer, stream: prepend(renderFrame(warnings), answer.stream) };
  const { body } = answer;
  return typeof body === "object" && body !== null ? { ...answer, body: { ...body, warnings } } : answer;
}

/** Without an id: whoever attaches again later has not missed an event of the run. */
function renderFrame(warnings: readonly string[]): string {
  return `event: warnings\ndata: ${JSON.stringify({ warnings })}\n\n`;
}

/** Together with the first piece, so that a reader who leaves at once has begun the stream and ends it. */
async function* prepend(first: string, pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let before = first;
  for await (const piece of pieces) {
    yield before + piece;
    before = "";
  }
  if (before !== "") yield before;
}
