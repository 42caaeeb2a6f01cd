import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnavailable } from "@swarmbase/postgres";
import { AppError, renderError } from "../../src/errors/index.ts";
import { translateUnavailable } from "../../src/db/unavailable.ts";

const fault = (fields: Record<string, unknown>, message = "fault") => Object.assign(new Error(message), fields);

const AWAY: [string, unknown][] = [
  ["rejected", fault({ code: "ECONNREFUSED", syscall: "connect" })],
  ["reset", fault({ code: "ECONNRESET" })],
  ["no such host", fault({ code: "ENOTFOUND" })],
  ["no such socket", fault({ code: "ENOENT", syscall: "connect" })],
  [
    "all addresses rejected",
    Object.assign(new AggregateError([fault({ code: "ECONNREFUSED" })]), { code: "ECONNREFUSED" }),
  ],
  ["stopped by its administrator", fault({ code: "57P01" })],
  ["crashed", fault({ code: "57P02" })],
  ["starting up", fault({ code: "57P03" })],
  ["connection failure", fault({ code: "08006" })],
  ["too many connections", fault({ code: "53300" })],
  ["disk full", fault({ code: "53100" })],
  ["a pooler that ends the connection", fault({ code: "08P01", severity: "FATAL" })],
  ["ended under us", fault({}, "Connection terminated unexpectedly")],
  ["slow to connect", fault({}, "Connection terminated due to connection timeout")],
  ["a server that takes no writes", fault({ code: "25006" })],
  ["pool exhausted", fault({}, "timeout exceeded when trying to connect")],
  ["slow to answer", fault({}, "Query read timeout")],
];

const ANSWERED: [string, unknown][] = [
  ["unique violation", fault({ code: "23505" })],
  ["statement timeout", fault({ code: "57014" })],
  ["wrong password", fault({ code: "28P01" })],
  ["our own protocol mistake", fault({ code: "08P01", severity: "ERROR" })],
  ["a file that is missing", fault({ code: "ENOENT", syscall: "open" })],
  ["an error of ours", new AppError("FORBIDDEN", "no")],
  ["a mistake", new TypeError("Cannot read properties of undefined")],
  ["not an error", "Connection terminated"],
  ["nothing", undefined],
];

for (const [name, error] of AWAY) {
  test(`is unavailable: ${name}`, () => {
    assert.equal(isUnavailable(error), true);
    const rendered = renderError(translateUnavailable(error));
    assert.equal(rendered.status, 503);
    const headers = new Headers(rendered.headers);
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assert.equal(JSON.parse(rendered.body).code, "SERVICE_UNAVAILABLE");
  });
}

for (const [name, error] of ANSWERED) {
  test(`is not unavailable: ${name}`, () => {
    assert.equal(isUnavailable(error), false);
    assert.equal(translateUnavailable(error), error);
  });
}
