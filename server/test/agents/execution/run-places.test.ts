import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Framework } from "@swarmbase/sdk";
import { createRunPlaces } from "../../../src/agents/execution/run-places.ts";

const runOf = (frameworks: readonly Framework[], userId: string | null = null) => ({ frameworks, userId });
const A = runOf(["provider_a"]);
const B = runOf(["provider_b"]);
const BOTH = runOf(["provider_a", "provider_b"]);
const NONE = runOf([]);
const open = (
  concurrency: number,
  providerSharePercent: number,
  bounded: readonly Framework[] = BOTH.frameworks,
  userSharePercent = 100,
) => createRunPlaces({ concurrency, providerSharePercent, userSharePercent, boundedFrameworks: () => bounded });

describe("the capacity of a node", () => {
  it("has a share for each provider, and a run counts for every provider that it uses", () => {
    const places = open(10, 40);
    const taken = Array.from({ length: 4 }, () => places.reserve(runOf(["provider_a", "provider_a"])));
    assert.ok(taken.every((place) => place !== null));
    assert.equal(places.reserve(A), null);
    assert.equal(places.reserve(BOTH), null);
    assert.ok(places.reserve(B));
    assert.equal(taken[0]?.release(), true);
    assert.ok(places.reserve(BOTH));
  });

  it("is available to any run when a provider has no limit", () => {
    const places = open(3, 40, B.frameworks);
    const taken = [places.reserve(A), places.reserve(A), places.reserve(A)];
    assert.ok(taken.every((place) => place !== null));
    assert.equal(places.reserve(A), null);
    assert.equal(places.reserve(NONE), null);
  });

  it("is released once, and each provider has at least one place", () => {
    const places = open(2, 1);
    const place = places.reserve(A);
    assert.equal(places.reserve(A), null);
    assert.deepEqual([place?.release(), place?.release()], [true, false]);
    const again = places.reserve(A);
    assert.ok(again !== null && places.reserve(B) !== null);
    assert.equal(places.reserve(NONE), null);
  });

  it("is divided between a claim in progress and concurrent admissions", () => {
    const places = open(100, 10);
    for (let count = 0; count < 3; count += 1) places.take(A);
    const claim = places.openClaim();
    assert.deepEqual([claim.maxRuns, claim.frameworks, claim.maxRunsByFramework], [97, BOTH.frameworks, [4, 5]]);
    const admitted = Array.from({ length: 5 }, () => places.reserve(A)).filter((place) => place !== null);
    assert.equal(admitted.length, 3);
    for (let count = 0; count < 4; count += 1) places.take(A);
    claim.close();
    assert.equal(places.reserve(A), null);
    assert.ok(places.reserve(B));
    assert.deepEqual(places.openClaim().maxRunsByFramework, [0, 5]);
  });

  it("has a share for each user, who has at least one place", () => {
    const places = open(5, 100, [], 50);
    const [ada, bob] = [runOf([], "ada"), runOf([], "bob")];
    const taken = [places.reserve(ada), places.reserve(ada)];
    assert.ok(taken.every((place) => place !== null));
    assert.equal(places.reserve(ada), null);
    assert.ok(places.reserve(bob));
    const { maxRuns, maxRunsPerUser, users, maxRunsByUser } = places.openClaim();
    assert.deepEqual([maxRuns, maxRunsPerUser, users, maxRunsByUser], [2, 2, ["ada", "bob"], [0, 1]]);
    assert.deepEqual([places.mayHaveSkipped([bob]), places.mayHaveSkipped([bob, ada])], [false, true]);
    assert.equal(taken[0]?.release(), true);
    assert.ok(places.reserve(ada));
    assert.ok(open(3, 100, [], 1).reserve(ada));
  });
});
