import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { authEndpoints } from "../../src/auth/index.ts";
import { describeInterface } from "../../src/extensions/describe-interface.ts";
import { FUNCTION_TABLE } from "../../src/functions/index.ts";
import {
  authRoutes,
  functionRoutes,
  healthRoutes,
  protectedResourceRoutes,
  realtimeRoutes,
  type Route,
  toolCallRoutes,
} from "../../src/http/index.ts";

/**
 * Functions that build routes which are described, and those that are not: tables describe themselves, and the console is no API.
 */
const DESCRIBED = [
  "authRoutes",
  "functionRoutes",
  "healthRoutes",
  "protectedResourceRoutes",
  "realtimeRoutes",
  "toolCallRoutes",
];
const NOT_DESCRIBED = ["consoleRoutes", "restRoutes"];
/** Not in the route table: the connection is upgraded before. */
const UPGRADE = "GET /realtime/v1/websocket";

test("the description of the interface has every route of the core with its access and limit row, and no other", async () => {
  const nothing = {} as never;
  const routes: readonly Route[] = [
    ...authRoutes(authEndpoints, nothing),
    ...functionRoutes({
      functions: FUNCTION_TABLE.map((row) => ({ ...row, run: () => Promise.reject(new Error("not run")) })),
      limits: nothing,
    }),
    ...healthRoutes({
      version: "",
      findObstacle: () => Promise.resolve(null),
      isHeldCopy: () => false,
      isLimitStoreAway: () => false,
    }),
    ...protectedResourceRoutes([], nothing),
    ...realtimeRoutes(nothing),
    ...toolCallRoutes(nothing),
  ];
  const expected = routes.map(({ method, path, access, limit }) => {
    const name = `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;
    const isFunction = path.startsWith("/functions/");
    return { name, access, limits: limit === null ? [] : isFunction ? [...new Set(["api", limit])] : [limit] };
  });
  const described = describeInterface().routes.map(({ method, path, access, limits }) => ({
    name: `${method} ${path}`,
    access,
    limits,
  }));
  const byName = (one: { name: string }, other: { name: string }): number => one.name.localeCompare(other.name);
  assert.deepEqual(described.filter(({ name }) => name !== UPGRADE).toSorted(byName), expected.toSorted(byName));

  const file = await readFile(new URL("../../src/wiring/http/open-http.ts", import.meta.url), "utf8");
  const builders = [...file.matchAll(/\b(\w+Routes)\(/g)].map(([, name = ""]) => name);
  assert.deepEqual([...new Set(builders)].toSorted(), [...DESCRIBED, ...NOT_DESCRIBED].toSorted());
});
