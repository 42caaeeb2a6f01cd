import { Readable } from "node:stream";
import { spec, type TestEvent } from "node:test/reporters";

/** The first line of the runner's summary. */
const TOTALS = /^tests \d+$/;

interface SkippedTest {
  readonly path: string;
  readonly reason: string | null;
}

/**
 * Prints the output of the runner's reporter "spec" and, before the totals, every skipped test with its reason. A test
 * that is skipped without a reason fails the run.
 */
async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<unknown, void> {
  yield* Readable.from(addSkippedTests(source)).compose(spec());
}

async function* addSkippedTests(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent, void> {
  const skipped: SkippedTest[] = [];
  const suites: string[] = [];
  for await (const event of source) {
    if (event.type === "test:start") suites[event.data.nesting] = event.data.name;
    if (event.type === "test:pass" && event.data.skip !== undefined && event.data.skip !== false) {
      const { name, nesting, skip } = event.data;
      const path = [...suites.slice(0, nesting), name].join(" › ");
      skipped.push({ path, reason: typeof skip === "string" && skip !== "" ? skip : null });
    }
    const isFirstTotal =
      event.type === "test:diagnostic" && event.data.nesting === 0 && TOTALS.test(event.data.message);
    if (isFirstTotal && skipped.length > 0) {
      if (skipped.some(({ reason }) => reason === null)) process.exitCode = 1;
      const message = renderSkippedTests(skipped);
      yield { type: "test:stdout", data: { file: "", message, nesting: 0 } } as TestEvent;
    }
    yield event;
  }
}

function renderSkippedTests(skipped: readonly SkippedTest[]): string {
  const parts = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, tests]) => [
    reason === null ? "✖ skipped without a reason, which fails the run:" : `﹣ skipped (${reason}):`,
    ...tests.map(({ path }) => `    ${path}`),
  ]);
  return `${parts.flat().join("\n")}\n`;
}

// oxlint-disable-next-line import/no-default-export -- The test runner takes a reporter from the default export.
export default report;
