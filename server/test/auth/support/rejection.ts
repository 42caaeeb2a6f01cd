import assert from "node:assert/strict";
import { AppError } from "../../../src/errors/index.ts";

/** For `assert.rejects` and `assert.throws`: an error with this status and GoTrue's code. */
export function rejection(status: number, code: string, message?: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.extra.members?.["error_code"], code, error.message);
    assert.equal(error.status, status);
    assert.equal(error.extra.members?.["msg"], error.message);
    if (message !== undefined) assert.match(error.message, message);
    return true;
  };
}
