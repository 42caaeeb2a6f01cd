/** Values of fictional objects, for examples. */
export const EXAMPLE = {
  swarm: "0199f3a1-5c00-7a10-8000-000000000001",
  agent: "0199f3a1-5c00-7a10-8000-000000000002",
  message: "0199f3a1-5c00-7a10-8000-000000000003",
  run: "0199f3a1-5c00-7a10-8000-000000000004",
  turn: "0199f3a1-5c00-7a10-8000-000000000005",
  tool: "0199f3a1-5c00-7a10-8000-000000000006",
  toolExecution: "0199f3a1-5c00-7a10-8000-000000000007",
  flag: "0199f3a1-5c00-7a10-8000-000000000008",
  ada: "0199f3a1-5c00-7a10-8000-00000000000a",
  bob: "0199f3a1-5c00-7a10-8000-00000000000b",
  time: "2026-11-15T12:00:00.000000+00:00",
} as const;

export const BY_ADA = { type: "user", id: EXAMPLE.ada } as const;
