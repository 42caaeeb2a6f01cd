import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { chooseWindow, type ConversationWindow, type WindowLine } from "../../../src/agents/context/choose-window.ts";

/** Lines with the seqs 1 to `count`, each of 10 tokens; every second one has calls of its own run. */
function createLines(count: number, callTokens = 0): WindowLine[] {
  return Array.from({ length: count }, (_, index) => ({
    seq: index + 1,
    tokens: 10,
    calls:
      callTokens > 0 && index % 2 === 1
        ? { runId: `run ${index}`, tokens: callTokens, cutTokens: Math.min(5, callTokens) }
        : null,
  }));
}

const UNLIMITED = { maxLines: 500, maxTokens: 1_000_000, keptRuns: 3, areLinesCut: false, areCallsCut: false };

const countChanges = (values: readonly number[]): number =>
  values.filter((value, index) => index > 0 && value !== values[index - 1]).length;

describe("the window of a conversation", () => {
  const WIDE = { maxLines: 20, maxTokens: 1_000_000, keptRuns: 3, areLinesCut: false, areCallsCut: false };

  test("has everything while it fits", () => {
    assert.deepEqual(chooseWindow(createLines(20, 50), WIDE), {
      start: 0,
      callsFrom: 0,
      wholeFrom: 0,
      isShortened: false,
      tokens: 700,
    });
  });

  test("changes its first line once in a quarter of its length", () => {
    const starts = Array.from({ length: 40 }, (_, more) => chooseWindow(createLines(20 + more), WIDE).start);
    assert.equal(new Set(starts).size, 9);
    assert.ok(starts.every((start, more) => 20 + more - start <= 20 && 20 + more - start > 14));
  });

  test("begins with a block when there are older lines, also where it has room for more", () => {
    assert.equal(chooseWindow(createLines(18).slice(1), { ...WIDE, areLinesCut: true }).start, 4);
  });

  test("changes the first call that it keeps only with its first line, and keeps the calls of enough runs", () => {
    const windows = Array.from({ length: 60 }, (_, more) => chooseWindow(createLines(20 + more, 50), WIDE));
    assert.equal(
      new Set(windows.map(({ callsFrom }) => callsFrom)).size,
      new Set(windows.map((one) => one.start)).size,
    );
    windows.forEach(({ callsFrom }, more) => {
      const kept = createLines(20 + more, 50).filter(({ calls }, index) => calls !== null && index >= callsFrom);
      assert.ok(kept.length >= 3, `${kept.length} runs of ${20 + more} lines`);
    });
  });

  test("loses at least a quarter when the limit of tokens shortens it, and keeps at least half", () => {
    const windows = Array.from({ length: 100 }, (_, more) =>
      chooseWindow(createLines(100 + more), { ...WIDE, maxLines: 500, maxTokens: 240 }),
    );
    const starts = windows.map(({ start }) => start);
    assert.ok(starts.every((start, more) => 100 + more - start <= 24 && 100 + more - start >= 12));
    assert.ok(windows.every(({ isShortened }) => isShortened));
    assert.ok(countChanges(starts) <= 100 / 6, `${countChanges(starts)} changes`);
    assert.ok(starts.every((start, more) => more === 0 || start >= (starts[more - 1] ?? 0)));
  });

  test("cuts the oldest results, leaves them out when that is not enough, and then leaves out messages", () => {
    const lines = createLines(20, 100);
    const choose = (maxTokens: number) => chooseWindow(lines, { ...WIDE, maxTokens });
    const cut = choose(1000);
    assert.deepEqual([cut.start, cut.callsFrom, cut.wholeFrom > 0 && cut.wholeFrom < 20], [0, 0, true]);
    const without = choose(210);
    assert.deepEqual([without.start, without.callsFrom > 0, without.wholeFrom], [0, true, 20]);
    const shorter = choose(150);
    assert.deepEqual([shorter.isShortened, shorter.start > 0], [true, true]);
    assert.deepEqual(choose(0).start, 19);
  });

  test("has room for results again after messages have fallen out", () => {
    const windows = Array.from({ length: 60 }, (_, more) =>
      chooseWindow(createLines(30 + more, 20), { ...WIDE, maxLines: 500, maxTokens: 300 }),
    );
    const keepsSome = ({ callsFrom }: ConversationWindow, more: number): boolean => callsFrom < 30 + more;
    assert.ok(windows.filter(keepsSome).length > 30);
  });

  test("cuts results so that the first whole one changes seldom", () => {
    const windows = Array.from({ length: 64 }, (_, more) =>
      chooseWindow(createLines(64 + more, 40), { ...WIDE, maxLines: 500, maxTokens: 2_200 }),
    );
    const changes = countChanges(windows.map(({ wholeFrom }) => wholeFrom));
    assert.ok(windows.some(({ wholeFrom }) => wholeFrom > 0) && changes <= 8, `${changes} changes`);
    assert.ok(windows.every(({ tokens }) => tokens <= 2_200));
  });

  test("leaves out calls from the first block that has all of them, when older ones are not known", () => {
    const lines = createLines(20, 50);
    const { callsFrom } = chooseWindow(lines, { ...WIDE, areCallsCut: true });
    assert.equal(callsFrom, 5);
    assert.deepEqual(
      chooseWindow(createLines(22, 50).slice(1), { ...WIDE, maxLines: 40, areCallsCut: true }).callsFrom,
      9,
    );
  });
});

test("any window has the last line, at most the lines and, with more than one line, the tokens that are allowed", () => {
  const line = fc.record({
    seq: fc.nat(),
    tokens: fc.nat(100),
    calls: fc.option(
      fc.record({ runId: fc.option(fc.constantFrom("a", "b")), tokens: fc.nat(500), cutTokens: fc.nat(50) }),
    ),
  });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: -1, max: 60 }),
      fc.integer({ min: -10, max: 5000 }),
      fc.nat(5),
      fc.boolean(),
      fc.boolean(),
      (lines, maxLines, maxTokens, keptRuns, areLinesCut, areCallsCut) => {
        const limits = { maxLines, maxTokens, keptRuns, areLinesCut, areCallsCut };
        const { start, callsFrom, wholeFrom, tokens } = chooseWindow(lines, limits);
        assert.ok(start >= 0 && start < lines.length && lines.length - start <= Math.max(1, maxLines));
        assert.ok(callsFrom >= 0 && wholeFrom >= 0);
        if (lines.length - start > 1) assert.ok(tokens <= maxTokens);
      },
    ),
  );
});

test("whenever the first line changes, a quarter of a limit has fallen out, or all lines but the newest, as long as one limit applies", () => {
  const tokens = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 1_200 }));
  fc.assert(
    fc.property(
      fc.array(tokens, { minLength: 2, maxLength: 120 }),
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 20, max: 1_000 }),
      (sizes, maxLines, maxTokens) => {
        const all = sizes.map((size, index): WindowLine => ({ seq: index + 1, tokens: size, calls: null }));
        const startOf = (end: number, limit: number): number =>
          chooseWindow(all.slice(0, end), { ...UNLIMITED, maxLines, maxTokens: limit }).start;
        for (let end = 2; end <= all.length; end += 1) {
          const [before, start] = [startOf(end - 1, maxTokens), startOf(end, maxTokens)];
          const fallen = all.slice(before, start);
          const sum = fallen.reduce((total, line) => total + line.tokens, 0);
          const isQuarter = fallen.length >= maxLines / 4 || sum >= maxTokens / 4 || start === end - 1;
          // Both limits apply: a window that the limit of tokens has shortened grows from another line when that of lines moves.
          const isBoth = before > startOf(end - 1, Infinity) && startOf(end - 1, Infinity) !== startOf(end, Infinity);
          assert.ok(start === before || isQuarter || isBoth, `${before} to ${start} of ${end}: ${sum} tokens`);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
