import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AdmissionFacts, decideAdmission } from "../../../src/auth/external/admit-identity.ts";

const NOBODY: AdmissionFacts = { ownerId: null, account: null, isSignupEnabled: true };
const PROVEN = { id: "account", isAddressProven: true };
const UNPROVEN = { id: "account", isAddressProven: false };

describe("the admission of an identity", () => {
  const cases: readonly (readonly [string, Partial<AdmissionFacts>, object])[] = [
    ["creates an account for a new identity", {}, { kind: "create" }],
    [
      "creates none while sign-ups are disabled",
      { isSignupEnabled: false },
      { kind: "refuse", code: "signup_disabled" },
    ],
    ["signs in the owner of a known identity", { ownerId: "a" }, { kind: "sign-in", userId: "a" }],
    ["does so while sign-ups are disabled", { ownerId: "a", isSignupEnabled: false }, { kind: "sign-in", userId: "a" }],
    [
      "follows the identity and not its new address",
      { ownerId: "a", account: PROVEN },
      { kind: "sign-in", userId: "a" },
    ],
    ["links to the account whose address was proven", { account: PROVEN }, { kind: "link", userId: "account" }],
    ["takes over an account whose address was not", { account: UNPROVEN }, { kind: "take-over", userId: "account" }],
    [
      "links while sign-ups are disabled",
      { account: PROVEN, isSignupEnabled: false },
      { kind: "link", userId: "account" },
    ],
  ];
  for (const [title, facts, admission] of cases)
    it(title, () => assert.deepEqual(decideAdmission({ ...NOBODY, ...facts }), admission));
});
