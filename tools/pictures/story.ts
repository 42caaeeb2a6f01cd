import type { Script } from "./model.ts";

/** The fictional people and agents in the pictures. */
export const GRACE = { name: "Grace Hopper", email: "grace@beehive.example", password: "a-ship-in-port-is-safe" };
export const KATHERINE = {
  name: "Katherine Johnson",
  email: "katherine@beehive.example",
  password: "count-everything-1962",
};

export const AGENTS = [
  {
    name: "Otto",
    role: "Checks the numbers",
    framework: "provider_a",
    model: "mellifera-large",
    system_prompt:
      "You are the analyst of a small team that builds an app for beekeepers. Look numbers up before you name them, calculate with the calculator, and say how sure you are. Two or three sentences.",
    settings: { temperature: 0.2, max_tokens: 800 },
  },
  {
    name: "Maya",
    role: "Plans the launch",
    framework: "provider_a",
    model: "mellifera-large",
    system_prompt:
      "You plan the launch of the beehive app. Turn what was said into steps with a name and a time. Never more than five of them.",
    settings: { temperature: 0.4, max_tokens: 1000 },
  },
  {
    name: "Ines",
    role: "Writes to beekeepers",
    framework: "provider_a",
    model: "mellifera-small",
    system_prompt:
      "You write what beekeepers read: mails, notes, the words in the app. Warm, short, no exclamation marks, no jargon.",
    settings: { temperature: 0.9, max_tokens: 1200 },
  },
  {
    name: "Theo",
    role: "Doubts",
    framework: "provider_b",
    model: "cerana-2",
    system_prompt: "You look for what is missing or wrong in what was said before you, and say it kindly.",
    settings: { temperature: 0.6 },
  },
  {
    name: "Ruth",
    role: "Answers support mails",
    framework: "provider_a",
    model: "mellifera-small",
    system_prompt:
      "You answer beekeepers who write to us. Look their hive up first. If you are not sure, hand over to a person.",
    settings: { temperature: 0.3 },
  },
  {
    name: "Kofi",
    role: "Reads the sensors",
    framework: "provider_b",
    model: "cerana-2",
    system_prompt:
      "You watch weight and temperature of the hives and tell in one sentence what has changed since yesterday.",
    settings: { temperature: 0 },
  },
] as const;

export const SWARM = {
  name: "Launch of the beehive app",
  description: "What has to happen until Monday, and who does it.",
  strategy: "round_robin",
  settings: { max_turns: 12, budget: { max_tokens: 40_000, max_cost_usd_per_day: 5 } },
} as const;
export const IN_THE_SWARM = ["Otto", "Maya", "Ines"];
export const OTHER_SWARMS = [
  {
    swarm: { name: "Support desk", description: "Mails of beekeepers, answered together.", strategy: "handoff" },
    agents: ["Ruth", "Theo"],
  },
  {
    swarm: { name: "Hive sensors", description: "What the hives weigh, and what it means.", strategy: "mention" },
    agents: ["Kofi"],
  },
];

/**
 * Further messages with the responses of the webhook receiver, and the expected status of each delivery after its
 * attempts.
 */
export const REMARKS = [
  { content: "Hive 12 is 400 g heavier than yesterday.", answers: [200], attempts: 1, status: "delivered" },
  { content: "Hive 7 has no scale since Tuesday.", answers: [503, 200], attempts: 2, status: "delivered" },
  { content: "New battery in hive 3.", answers: [200], attempts: 1, status: "delivered" },
  { content: "Hive 9 is as warm as it should be.", answers: [404], attempts: 1, status: "failed" },
  { content: "Hive 7 is back.", answers: [503], attempts: 2, status: "retrying" },
] as const;
/** The entry of REMARKS whose delivery is shown. */
export const RETRIED_REMARK = 1;

export const COUNT_TOOL = {
  name: "count_waiting_list",
  description: "How many beekeepers wait for the app, in all and by region.",
  category: "Launch",
  kind: "http",
  input_schema: {
    type: "object",
    properties: { region: { type: "string", description: "europe, america, or all" } },
    required: ["region"],
  },
} as const;
export const OTHER_TOOLS = [
  {
    name: "send_newsletter",
    description: "Sends a mail to everybody on the waiting list. A person has to approve it.",
    category: "Launch",
    kind: "http",
    requires_approval: true,
    input_schema: {
      type: "object",
      properties: { subject: { type: "string" }, text: { type: "string" } },
      required: ["subject", "text"],
    },
    config: { method: "POST", url: "https://mail.beehive.example/send" },
  },
  {
    name: "read_hive",
    description: "Weight, temperature and humidity of one hive, as measured last.",
    category: "Hives",
    kind: "http",
    input_schema: { type: "object", properties: { hive: { type: "string" } }, required: ["hive"] },
    config: { method: "GET", url: "https://sensors.beehive.example/hives/{hive}" },
  },
];

export const FIRST_QUESTION = "Good morning. In one sentence each: what is left to do before Monday?";
export const REMARK = "Mail server is ready: **600 an hour**, not more.";
export const QUESTION = "How many beekeepers are waiting, and how long will the mail to all of them take?";
export const TRY_QUESTION = "How many of them are in Europe, in percent?";
export const COMPARED_QUESTION = "One sentence about the app for the stores, please.";
/** Of Maya, in the playground. */
export const COMPARED_INSTRUCTIONS = "You write what beekeepers read. Warm and short.";
export const HELD_AT = "you can open the app";

export const SCRIPT: Script = {
  Otto: [
    { say: "The load test: we have seen 2,000 hives at once so far, and expect twice as many." },
    { use: "count_waiting_list", input: { region: "all" } },
    { use: "calculator", input: { expression: "4812 / 600" } },
    {
      say: "**4,812 beekeepers** are waiting, 3,107 of them in Europe. At 600 mails an hour that takes **8 hours and 2 minutes**. The count is of this minute, so I am sure of it.",
    },
    { use: "count_waiting_list", input: { region: "europe" } },
    { use: "calculator", input: { expression: "3107 / 4812 * 100" } },
    { say: "**64.6 %**: 3,107 of the 4,812 on the list, counted just now." },
  ],
  Maya: [
    {
      say: "The order of things: mail, then the stores, then the door opens. I shall write it down once Otto has numbers.",
    },
    {
      say: "Then it goes like this:\n\n1. **Sunday 22:00**: the first mail leaves (Grace)\n2. **Monday 6:02**: the last one is there (Otto watches)\n3. **Monday 7:00**: the door opens (Katherine)",
    },
    { say: "**A diary for every hive**: inspections, harvests and weather in one place, with a list of what is next." },
  ],
  Ines: [
    { say: "The mail itself. A draft is there as soon as I know who gets it when." },
    {
      say: "Here is the mail:\n\n> **Your hive has a diary now**\n>\n> You have waited for this since spring. From Monday at seven you can open the app and add the first hive of yours. It takes two minutes, and a pencil is no longer needed.",
      holdAfter: HELD_AT,
    },
    { say: "Your hives remember everything now, so you can look at the bees instead of your notes." },
  ],
};

/** The agent whose prompt begins with its instructions. */
export function findSpeaker(instructions: string): string {
  if (instructions.startsWith(COMPARED_INSTRUCTIONS)) return "Maya";
  return AGENTS.find(({ system_prompt: own }) => instructions.startsWith(own))?.name ?? "";
}
