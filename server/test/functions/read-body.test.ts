import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { AppError } from "../../src/errors/index.ts";
import { parseFunctionBody } from "../../src/functions/parse-function-body.ts";

const schema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("make"),
    id: z.guid(),
    name: z.string().max(3),
    count: z.number().int().min(1).nullish(),
    since: z.iso.datetime({ offset: true }),
    names: z.array(z.string()).min(1),
    size: z.enum(["small", "large"]),
    rest: z.record(z.string(), z.unknown()),
    isOpen: z.boolean(),
    place: z.union([z.number(), z.string()]),
    word: z.string().regex(/^a/, "must begin with a"),
  }),
  z.strictObject({ action: z.literal("stop") }),
]);

function faultsOf(body: unknown): unknown {
  try {
    parseFunctionBody(schema, { body, warn: () => {} });
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "VALIDATION_ERROR");
    return error.extra.details;
  }
  return null;
}

test("every fault of a body has a message that says what to send", () => {
  const wrong = { action: "make", id: "x", name: "long", count: 0, since: "now", names: [], size: "xl", rest: [] };
  assert.deepEqual(faultsOf({ ...wrong, isOpen: 1, place: true, word: "b" }), {
    id: "must be a UUID",
    name: "must have at most 3 characters",
    count: "must be at least 1",
    since: "must be a time in ISO 8601, with its offset",
    names: "must have at least 1 entries",
    size: "must be one of small, large",
    rest: "must be a JSON object",
    isOpen: "must be true or false",
    place: "is of the wrong type",
    word: "must begin with a",
  });
  assert.deepEqual(faultsOf({ action: "go" }), { action: "must be one of make, stop" });
  assert.deepEqual(faultsOf({ action: "stop", extra: 1 }), { body: 'has members that are not known: "extra"' });
  assert.deepEqual(faultsOf([]), { body: "must be a JSON object" });
  assert.deepEqual(faultsOf({ action: "stop" }), null);
});

test("a missing member is reported as required", () => {
  const faults = faultsOf({ action: "make" }) as Record<string, string>;
  assert.equal(Object.keys(faults).length, 9);
  assert.deepEqual(new Set(Object.values(faults)), new Set(["is required"]));
});
