import type { TestEvent } from "node:test/reporters";

/** Prints the path of each group of test files with a failure, one per line. */
async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  const failed = new Set<string>();
  for await (const event of source) {
    if (event.type !== "test:fail" || event.data.nesting > 0) continue;
    const { file = event.data.name } = event.data;
    if (!failed.has(file)) yield `${file}\n`;
    failed.add(file);
  }
}

// oxlint-disable-next-line import/no-default-export -- The test runner takes a reporter from the default export.
export default report;
