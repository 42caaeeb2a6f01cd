import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import type { Instance } from "./instance.ts";
import { readSession } from "./browser-contexts.ts";

export interface Factor {
  /** A code that has not been used yet. */
  nextCode(): string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_SECONDS = 30;

/** Sets up an authenticator for the user of the page. */
export async function enrolFactor(page: Page, instance: Instance): Promise<Factor> {
  const { access_token: token } = await readSession(page);
  const ask = async (path: string, data: object): Promise<Record<string, unknown>> => {
    const headers = { apikey: instance.anon_key, authorization: `Bearer ${token}` };
    const answer = await page.request.post(`${instance.url}/auth/v1/${path}`, { headers, data });
    assert.ok(answer.ok(), await answer.text());
    return (await answer.json()) as Record<string, unknown>;
  };
  const made = await ask("factors", { factor_type: "totp", friendly_name: "Phone" });
  const { secret } = made["totp"] as { secret: string };
  const challenge = await ask(`factors/${String(made["id"])}/challenge`, {});
  await ask(`factors/${String(made["id"])}/verify`, { challenge_id: challenge["id"], code: computeCode(secret, 0) });
  // A code works once; the service also accepts the code of the next 30 seconds.
  return { nextCode: () => computeCode(secret, 1) };
}

/** RFC 6238 with SHA-1, 30 seconds and six digits. */
export function computeCode(secret: string, stepsLater: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS) + stepsLater));
  const bits = Array.from(secret, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0x0f) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}
