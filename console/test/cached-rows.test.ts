import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { applyReportedChange, dropRow, reloadRows, replaceRow } from "../src/data/cached-rows.ts";

interface Webhook {
  readonly id: string;
  readonly is_active: boolean;
}

const ACTIVE: Webhook = { id: "1", is_active: true };
const DISABLED: Webhook = { id: "1", is_active: false };

/** A list of webhooks whose reads the test answers. */
function watchList(t: TestContext) {
  const queries = new QueryClient();
  const answers: PromiseWithResolvers<readonly Webhook[]>[] = [];
  const observer = new QueryObserver<readonly Webhook[]>(queries, {
    queryKey: ["webhooks", "list"],
    queryFn: () => {
      const answer = Promise.withResolvers<readonly Webhook[]>();
      answers.push(answer);
      return answer.promise;
    },
    retry: false,
  });
  t.after(observer.subscribe(() => {}));
  t.after(() => queries.clear());
  return { queries, answers, observer, rows: () => queries.getQueryData<readonly Webhook[]>(["webhooks", "list"]) };
}

for (const [name, change, expected] of [
  ["an update", replaceRow(DISABLED), [DISABLED]],
  ["a deletion", dropRow("1"), []],
] as const) {
  test(`${name} that is reported during the first read changes its result`, async (t) => {
    const { queries, answers, observer, rows } = watchList(t);
    applyReportedChange(queries, "webhooks", change);
    answers[0]?.resolve([ACTIVE]);
    await observer.fetchOptimistic(observer.options);
    assert.deepEqual(rows(), expected);
  });

  test(`${name} that is reported during a later read changes its result`, async (t) => {
    const { queries, answers, observer, rows } = watchList(t);
    answers[0]?.resolve([ACTIVE]);
    await observer.fetchOptimistic(observer.options);
    const reading = observer.refetch();
    applyReportedChange(queries, "webhooks", change);
    assert.deepEqual(rows(), expected);
    answers[1]?.resolve([ACTIVE]);
    await reading;
    await Promise.resolve();
    assert.deepEqual(rows(), expected);
  });
}

test("a reload during the first read reads again after it", async (t) => {
  const { queries, answers, rows } = watchList(t);
  const reloading = reloadRows(queries, "webhooks");
  answers[0]?.resolve([ACTIVE]);
  while (answers.length < 2) await new Promise(setImmediate);
  answers[1]?.resolve([DISABLED]);
  await reloading;
  assert.deepEqual(rows(), [DISABLED]);
});

test("a read that fails leaves the change that was reported meanwhile", async (t) => {
  const { queries, answers, observer, rows } = watchList(t);
  answers[0]?.resolve([ACTIVE]);
  await observer.fetchOptimistic(observer.options);
  const reading = observer.refetch();
  applyReportedChange(queries, "webhooks", replaceRow(DISABLED));
  answers[1]?.reject(new Error("unreachable"));
  await reading;
  assert.deepEqual(rows(), [DISABLED]);
});

test("rows that have to be read again still have to be after a reported change of one of them", async () => {
  const queries = new QueryClient();
  const [list, pages] = [
    ["webhooks", "list"],
    ["webhooks", "pages"],
  ];
  queries.setQueryData(list, [ACTIVE]);
  queries.setQueryData(pages, { pages: [[]], pageParams: [null] });
  const isInvalidated = () => [list, pages].map((key) => queries.getQueryState(key)?.isInvalidated);
  applyReportedChange(queries, "webhooks", replaceRow(DISABLED));
  assert.deepEqual(isInvalidated(), [false, false]);
  // No page shows them, so nothing reads them now.
  await reloadRows(queries, "webhooks");
  applyReportedChange(queries, "webhooks", replaceRow(ACTIVE));
  assert.deepEqual(queries.getQueryData(list), [ACTIVE]);
  assert.deepEqual(isInvalidated(), [true, true]);
  queries.clear();
});
