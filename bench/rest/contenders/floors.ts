import type { HttpServer } from "../contender.ts";

/** What a read consists of: the same servers, asked for less or for the caller's account. */
export const FLOORS = {
  noStatement: "bare HTTPS, no statement",
  oneStatement: "bare HTTPS, one statement",
  bareUser: "bare HTTPS, the user",
  health: "Swarmbase, GET /health",
  user: "Swarmbase, GET /auth/v1/user",
} as const;

/** They share the processes of the two servers, which stay in charge of them. */
export function listFloors(ours: HttpServer, bare: HttpServer): HttpServer[] {
  const ask = (server: HttpServer, name: string, pathOf: (user: number) => string): HttpServer => ({
    ...server,
    name,
    request: (operation, target) => ({ ...server.request(operation, target), path: pathOf(target.user) }),
    hasNoRules: true,
    readAgents: (_operation, { status }) => (status === 200 ? [{ id: "", tools: 0 }] : []),
    stop: async () => {},
  });
  return [
    ask(bare, FLOORS.noStatement, () => "/no-statement"),
    ask(bare, FLOORS.oneStatement, () => "/one-statement"),
    ask(bare, FLOORS.bareUser, (user) => `/user/${user}`),
    ask(ours, FLOORS.health, () => "/health"),
    ask(ours, FLOORS.user, () => "/auth/v1/user"),
  ];
}
