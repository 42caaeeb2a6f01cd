import assert from "node:assert/strict";
import { test } from "node:test";
import { type InfiniteData, InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { changePages } from "../src/data/change-pages.ts";

type Numbers = InfiniteData<readonly number[], number>;

test("a row that arrives while an older page is read stays in the list", async (t) => {
  const queries = new QueryClient();
  const answers: PromiseWithResolvers<readonly number[]>[] = [];
  const queryKey = ["numbers"];
  const observer = new InfiniteQueryObserver<readonly number[], Error, Numbers, readonly string[], number>(queries, {
    queryKey,
    queryFn: () => {
      const answer = Promise.withResolvers<readonly number[]>();
      answers.push(answer);
      return answer.promise;
    },
    initialPageParam: 0,
    getNextPageParam: (_page, pages) => pages.length,
  });
  t.after(observer.subscribe(() => {}));
  t.after(() => queries.clear());
  const add = (row: number) =>
    changePages<Numbers>(queries, queryKey, ({ pages: [first = [], ...others], pageParams }) => ({
      pages: [[row, ...first], ...others],
      pageParams,
    }));

  const added = add(4);
  answers[0]?.resolve([3]);
  await added;
  const reading = observer.fetchNextPage();
  const addedMeanwhile = [add(5), add(6)];
  answers[1]?.resolve([2, 1]);
  await Promise.all([reading, ...addedMeanwhile]);
  assert.deepEqual(queries.getQueryData<Numbers>(queryKey)?.pages, [
    [6, 5, 4, 3],
    [2, 1],
  ]);

  const failing = observer.refetch();
  const addedBeforeError = add(7);
  await queries.cancelQueries({ queryKey });
  await Promise.all([failing, addedBeforeError]);
  assert.deepEqual(queries.getQueryData<Numbers>(queryKey)?.pages[0], [7, 6, 5, 4, 3]);
});
