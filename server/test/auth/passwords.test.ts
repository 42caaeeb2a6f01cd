import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { hash as hashArgon2 } from "@node-rs/argon2";
import { hash as hashBcrypt } from "@node-rs/bcrypt";
import { createPasswordHasher } from "../../src/auth/passwords/password-hasher.ts";
import { checkNewPassword, findPasswordFaults } from "../../src/auth/passwords/rules.ts";
import { createUnmatchedHash, parseImportedHash } from "../../src/auth/passwords/stored-hash.ts";
import { AppError } from "../../src/errors/index.ts";
import { TEST_HASH_PARAMETERS } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

const PASSWORD = "correct horse battery";

test("a hash is argon2id in PHC form with the wanted parameters, salted, and verifies", async () => {
  const hasher = createPasswordHasher(TEST_HASH_PARAMETERS);
  const [one, other] = [await hasher.hash(PASSWORD), await hasher.hash(PASSWORD)];
  assert.match(one, /^\$argon2id\$v=19\$m=8192,t=1,p=1\$/);
  assert.notEqual(one, other);
  assert.deepEqual(await hasher.verify(one, PASSWORD), { isMatch: true, shouldRehash: false });
  assert.deepEqual(await hasher.verify(one, `${PASSWORD} `), { isMatch: false, shouldRehash: false });
});

test("hashes with other parameters and algorithms verify and request a rehash", async () => {
  const hasher = createPasswordHasher(TEST_HASH_PARAMETERS);
  const bcrypt = await hashBcrypt(PASSWORD, 4);
  const foreign = {
    "more memory": await hashArgon2(PASSWORD, { memoryCost: 9000, timeCost: 1, parallelism: 1 }),
    "more passes": await hashArgon2(PASSWORD, { memoryCost: 8192, timeCost: 2, parallelism: 1 }),
    "more lanes": await hashArgon2(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 2 }),
    argon2i: await hashArgon2(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1, algorithm: 1 }),
    argon2d: await hashArgon2(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1, algorithm: 0 }),
    "argon2id, first version": await hashArgon2(PASSWORD, {
      memoryCost: 8192,
      timeCost: 1,
      parallelism: 1,
      version: 0,
    }),
    $2a: bcrypt.replace("$2b$", "$2a$"),
    $2b: bcrypt,
    $2y: bcrypt.replace("$2b$", "$2y$"),
  };
  for (const [name, hash] of Object.entries(foreign)) {
    assert.equal(parseImportedHash(hash), hash, name);
    assert.deepEqual(await hasher.verify(hash, PASSWORD), { isMatch: true, shouldRehash: true }, name);
    assert.deepEqual(await hasher.verify(hash, "wrong"), { isMatch: false, shouldRehash: false }, name);
  }
});

test("hashes are computed on threads of low priority, so that a burst of sign-ins delays nothing else", {
  skip: process.platform !== "linux" && "only Linux has priorities of threads",
}, async () => {
  const own = getPriority(process.pid);
  const hasher = createPasswordHasher(TEST_HASH_PARAMETERS);
  await Promise.all([hasher.hash(PASSWORD), hasher.hash(PASSWORD)]);
  const priorities = readdirSync("/proc/self/task").map((id) => getPriority(Number(id)));
  assert.ok(priorities.includes(own + 10), `the priorities are ${priorities.join(", ")}`);
  assert.equal(getPriority(process.pid), own);
});

test("verifying a password takes as much computing without an account as with one", async () => {
  // Expensive enough to dominate the CPU time of the process.
  const hasher = createPasswordHasher({ memoryKib: 19_456, iterations: 4, parallelism: 1 });
  const hash = await hasher.hash(PASSWORD);
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    known.push(await measureCpu(() => hasher.verify(hash, "wrong")));
    unknown.push(await measureCpu(() => hasher.verify(null, "wrong")));
  }
  // Without hashing the factor would be a hundred; shared CPU caches cause a small one.
  const ratio = medianOf(unknown) / medianOf(known);
  assert.ok(ratio > 1 / 3 && ratio < 3, `ratio ${ratio}`);
  assert.deepEqual(await hasher.verify(null, PASSWORD), { isMatch: false, shouldRehash: false });
});

test("the hash that stands for an unknown account has the form of a real one, and is another in each process", async () => {
  const real = await createPasswordHasher(TEST_HASH_PARAMETERS).hash(PASSWORD);
  const [one, other] = [createUnmatchedHash(TEST_HASH_PARAMETERS), createUnmatchedHash(TEST_HASH_PARAMETERS)];
  assert.equal(parseImportedHash(one), one);
  const formOf = (hash: string): readonly (string | number)[] =>
    hash.split("$").map((part, index) => (index < 4 ? part : part.length));
  assert.deepEqual(formOf(one), formOf(real));
  assert.notEqual(one, other);
});

test("a password of ten megabytes is rejected without hashing", async () => {
  const hasher = createPasswordHasher({ ...TEST_HASH_PARAMETERS, concurrency: 0, maxWaiting: 0 });
  const huge = "x".repeat(10_000_000);
  await assert.rejects(hasher.hash(huge), rejection(400, "validation_failed", /longer than 1024 characters/));
  assert.deepEqual(await hasher.verify(null, huge), { isMatch: false, shouldRehash: false });
  assert.throws(() => checkNewPassword(huge, rules("any")), rejection(400, "validation_failed", /1024/));
  // Without permits, every hash is rejected.
  await assert.rejects(hasher.hash(PASSWORD), (error) => error instanceof AppError && error.status === 503);
});

test("length is counted in characters, from the shortest to the longest", async () => {
  assert.equal(findPasswordFaults("🦊🦊🦊🦊🦊🦊", rules("any")), null);
  assert.deepEqual(findPasswordFaults("🦊🦊🦊", rules("any"))?.reasons, ["length"]);
  checkNewPassword("🦊".repeat(1024), rules("any"));
  assert.throws(() => checkNewPassword("🦊".repeat(1025), rules("any")), rejection(400, "validation_failed"));
  const hasher = createPasswordHasher(TEST_HASH_PARAMETERS);
  const longest = "🦊".repeat(1024);
  assert.ok((await hasher.verify(await hasher.hash(longest), longest)).isMatch);
});

test("limits concurrent and waiting hashes and rejects further ones with 503", async () => {
  const hasher = createPasswordHasher({ ...TEST_HASH_PARAMETERS, concurrency: 1, maxWaiting: 2 });
  const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => hasher.hash(PASSWORD)));
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 3);
  for (const attempt of attempts.slice(3)) {
    assert.ok(attempt.status === "rejected" && attempt.reason instanceof AppError);
    assert.equal(attempt.reason.code, "SERVICE_UNAVAILABLE");
    assert.ok((attempt.reason.extra.retryAfterSeconds ?? 0) > 0);
  }
  assert.ok((await hasher.hash(PASSWORD)).startsWith("$argon2id$"));
});

test("a hash that waits too long for its turn is rejected", async () => {
  const hasher = createPasswordHasher({
    memoryKib: 65_536,
    iterations: 3,
    parallelism: 1,
    concurrency: 1,
    maxWaitMs: 1,
  });
  const [first, second] = await Promise.allSettled([hasher.hash(PASSWORD), hasher.hash(PASSWORD)]);
  assert.equal(first.status, "fulfilled");
  assert.ok(second.status === "rejected" && second.reason instanceof AppError);
  assert.equal(second.reason.code, "SERVICE_UNAVAILABLE");
});

test("a failed hash releases its place", async () => {
  const hasher = createPasswordHasher({ ...TEST_HASH_PARAMETERS, concurrency: 1, maxWaiting: 0 });
  await assert.rejects(hasher.verify("$argon2id$broken", PASSWORD));
  assert.ok((await hasher.hash(PASSWORD)).startsWith("$argon2id$"));
});

test("hashing leaves the event loop free", async () => {
  const hasher = createPasswordHasher({ memoryKib: 65_536, iterations: 3, parallelism: 1, concurrency: 1 });
  let turns = 0;
  let isDone = false;
  const hashing = hasher.hash(PASSWORD).then(() => {
    isDone = true;
  });
  while (!isDone) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await hashing;
  assert.ok(turns > 20, `${turns} turns`);
});

test("each password rule reports its reason and message", () => {
  assert.equal(findPasswordFaults("abcdef", rules("any")), null);
  assert.deepEqual(findPasswordFaults("abc", rules("any")), {
    reasons: ["length"],
    message: "Password should be at least 6 characters.",
  });
  const cases = {
    "letters-digits": { good: "abcde1", bad: "abcdef" },
    "lower-upper-digits": { good: "abcDE1", bad: "abcde1" },
    "lower-upper-digits-symbols": { good: "abcDE1!", bad: "abcDE12" },
  } as const;
  for (const [kind, { good, bad }] of Object.entries(cases)) {
    assert.equal(findPasswordFaults(good, rules(kind as keyof typeof cases)), null, kind);
    const faults = findPasswordFaults(bad, rules(kind as keyof typeof cases));
    assert.deepEqual(faults?.reasons, ["characters"], kind);
    assert.match(faults?.message ?? "", /at least one character of each: .*0123456789/, kind);
  }
  assert.deepEqual(findPasswordFaults("!", rules("letters-digits"))?.reasons, ["length", "characters"]);
  assert.throws(
    () => checkNewPassword("abc", rules("any")),
    (error) => error instanceof AppError && error.status === 422 && hasReasons(error, ["length"]),
  );
});

test("rejects imported hashes that are invalid or would take minutes", async () => {
  const salt = "c29tZXNhbHQxMjM0NTY3OA";
  const digest = "A".repeat(43);
  const bad = [
    "",
    "plain text",
    "5f4dcc3b5aa765d61d8327deb882cf99",
    "$2b$10$short",
    `$2b$31$${"a".repeat(53)}`,
    `$2b$16$${"a".repeat(53)}`,
    `$2x$10$${"a".repeat(53)}`,
    `$1$abc$${"a".repeat(22)}`,
    `$argon2id$v=19$m=4294967295,t=1,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=8192,t=4294967295,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=8192,t=0,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=8192,t=1,p=255$${salt}$${digest}`,
    `$argon2id$v=19$m=8,t=1,p=2$${salt}$${digest}`,
    `$argon2id$v=19$m=8192,t=1,p=1$${salt}`,
    `$argon2id$v=19$m=8192,t=1,p=1$${salt}$${digest}\0`,
    `$argon2id$v=19$m=8192,t=1,p=1$${salt}$${digest}\n`,
    `$scrypt$ln=15,r=8,p=1$${salt}$${digest}`,
  ];
  for (const text of bad) {
    assert.throws(() => parseImportedHash(text), rejection(400, "validation_failed", /cannot be imported/), text);
  }
});

function rules(authPasswordCharacters: "any" | "letters-digits" | "lower-upper-digits" | "lower-upper-digits-symbols") {
  return { authPasswordMinLength: 6, authPasswordCharacters };
}

function hasReasons(error: AppError, reasons: readonly string[]): boolean {
  assert.deepEqual(error.extra.members?.["weak_password"], { reasons });
  return true;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

/** CPU time of all threads of the process. Only the sum of user and system time is exact. */
async function measureCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
