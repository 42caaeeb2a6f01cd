import { AppError } from "../errors/index.ts";
import type { FunctionResponse, FunctionDescription, NamedFunction, WarnableCall } from "./function-call.ts";

type Run = (call: WarnableCall) => Promise<FunctionResponse>;

/** Adds warnings to the response of a function, or to its error. */
export function defineFunction(description: FunctionDescription, run: Run): NamedFunction {
  return {
    ...description,
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

function addWarnings(answer: FunctionResponse, warnings: readonly string[]): FunctionResponse {
  if ("stream" in answer) return { ...answer, stream: prepend(renderFrame(warnings), answer.stream) };
  const { body } = answer;
  return typeof body === "object" && body !== null ? { ...answer, body: { ...body, warnings } } : answer;
}

/** Has no id, so that it does not change the `Last-Event-ID` of the run. */
function renderFrame(warnings: readonly string[]): string {
  return `event: warnings\ndata: ${JSON.stringify({ warnings })}\n\n`;
}

/** Sent together with the first chunk, so that a reader who leaves at once has started the stream and ends it. */
async function* prepend(first: string, pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let before = first;
  for await (const piece of pieces) {
    yield before + piece;
    before = "";
  }
  if (before !== "") yield before;
}
