export interface Part {
  readonly name: string;
  readonly about: string;
  /** The script, relative to this package. */
  readonly file: string;
  /** The expected duration on a quiet machine, and the timeout. */
  readonly seconds: Length;
  readonly limitSeconds: Length;
}

export interface Length {
  readonly quick: number;
  readonly full: number;
}

/** In the order in which they run. */
export const PARTS: readonly Part[] = [
  {
    name: "limits",
    about: "What counting calls costs a request.",
    file: "limits/run.ts",
    seconds: { quick: 4, full: 10 },
    limitSeconds: { quick: 60, full: 120 },
  },
  {
    name: "auth",
    about: "Accounts, sessions and tokens, against what bounds them.",
    file: "auth/run.ts",
    seconds: { quick: 12, full: 35 },
    limitSeconds: { quick: 90, full: 180 },
  },
  {
    name: "rest",
    about: "Reads and writes of tables, beside other ways to get the same.",
    file: "rest/run.ts",
    seconds: { quick: 155, full: 620 },
    limitSeconds: { quick: 400, full: 1_200 },
  },
  {
    name: "costs",
    about: "The cost of single operations: writes in PostgreSQL, and a write until its webhook is delivered.",
    file: "costs/run.ts",
    seconds: { quick: 40, full: 150 },
    limitSeconds: { quick: 240, full: 480 },
  },
  {
    name: "workers",
    about: "One process and several, on the same machine.",
    file: "workers/run.ts",
    seconds: { quick: 35, full: 210 },
    limitSeconds: { quick: 180, full: 480 },
  },
  {
    name: "webhooks",
    about: "Deliveries of webhooks, beside job queues that do the same.",
    file: "webhooks/run.ts",
    seconds: { quick: 60, full: 330 },
    limitSeconds: { quick: 300, full: 900 },
  },
  {
    name: "realtime",
    about: "Changes of rows over sockets.",
    file: "realtime/run.ts",
    seconds: { quick: 45, full: 120 },
    limitSeconds: { quick: 240, full: 480 },
  },
  {
    name: "agents",
    about: "Turns, runs and streams of agents, beside frameworks and their servers.",
    file: "agents/run.ts",
    seconds: { quick: 75, full: 400 },
    limitSeconds: { quick: 300, full: 900 },
  },
  {
    name: "neighbours",
    about: "What one user can do to another.",
    file: "neighbours/run.ts",
    seconds: { quick: 220, full: 560 },
    limitSeconds: { quick: 500, full: 1_200 },
  },
  {
    name: "console",
    about: "The first load of the console in a browser that has nothing of it.",
    file: "console/run.ts",
    seconds: { quick: 40, full: 40 },
    limitSeconds: { quick: 180, full: 180 },
  },
];
