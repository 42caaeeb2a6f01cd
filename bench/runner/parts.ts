export interface Part {
  /** Also that of its folder. */
  readonly name: string;
  readonly about: string;
  /** Compares with products that only this package installs. */
  readonly hasPeers: boolean;
  /** The expected duration on a quiet machine, and the timeout. */
  readonly seconds: Length;
  readonly limitSeconds: Length;
}

export interface Length {
  readonly quick: number;
  readonly full: number;
}

/** Parts that are measured only when they are named. They have no peers. */
export const SINGLE_PARTS = ["install", "storage", "versions", "volume"] as const;

/** The parts of a whole run, in the order in which they run. */
export const PARTS: readonly Part[] = [
  {
    name: "limits",
    about: "What counting calls costs a request.",
    hasPeers: false,
    seconds: { quick: 4, full: 10 },
    limitSeconds: { quick: 60, full: 120 },
  },
  {
    name: "idle",
    about: "A service without clients, its start, and its memory after deliveries.",
    hasPeers: false,
    seconds: { quick: 680, full: 870 },
    limitSeconds: { quick: 950, full: 1_300 },
  },
  {
    name: "auth",
    about: "Accounts, sessions and tokens, against what bounds them.",
    hasPeers: false,
    seconds: { quick: 12, full: 35 },
    limitSeconds: { quick: 90, full: 180 },
  },
  {
    name: "rest",
    about: "Reads and writes of tables, beside other ways to get the same.",
    hasPeers: true,
    seconds: { quick: 155, full: 620 },
    limitSeconds: { quick: 400, full: 1_200 },
  },
  {
    name: "costs",
    about: "The cost of single operations: writes in PostgreSQL, and a write until its webhook is delivered.",
    hasPeers: false,
    seconds: { quick: 60, full: 280 },
    limitSeconds: { quick: 300, full: 900 },
  },
  {
    name: "workers",
    about: "One process and several, on the same machine.",
    hasPeers: false,
    seconds: { quick: 35, full: 210 },
    limitSeconds: { quick: 180, full: 480 },
  },
  {
    name: "webhooks",
    about: "Deliveries of webhooks, beside job queues that do the same.",
    hasPeers: true,
    seconds: { quick: 60, full: 330 },
    limitSeconds: { quick: 300, full: 900 },
  },
  {
    name: "realtime",
    about: "Changes of rows over sockets.",
    hasPeers: false,
    seconds: { quick: 45, full: 120 },
    limitSeconds: { quick: 240, full: 480 },
  },
  {
    name: "agents",
    about: "Turns, runs and streams of agents, beside frameworks and their servers; history, caches and schedules.",
    hasPeers: true,
    seconds: { quick: 245, full: 1_000 },
    limitSeconds: { quick: 700, full: 2_000 },
  },
  {
    name: "neighbours",
    about: "What one user can do to another.",
    hasPeers: false,
    seconds: { quick: 245, full: 620 },
    limitSeconds: { quick: 560, full: 1_320 },
  },
  {
    name: "console",
    about: "The first load of the console in a browser that has nothing of it.",
    hasPeers: false,
    seconds: { quick: 40, full: 40 },
    limitSeconds: { quick: 180, full: 180 },
  },
];
