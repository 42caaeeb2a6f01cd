import { randomUUID } from "node:crypto";
import type { Call } from "./client.ts";
import type { Traffic } from "./load.ts";
import { PASSWORD, type Person, type SoakStage } from "./stage.ts";

const isServedOrRejected = (status: number): boolean => (status >= 200 && status < 300) || [429, 503].includes(status);
/** Refused for what it is, or before anybody looked. */
const isRejected = (status: number): boolean => (status >= 400 && status < 500) || status === 503;

/** Sign-ins and slow calls above what the processor and the connections can do, whatever the machine. */
const SIGN_INS_PER_SECOND = 100;
const SLOW_CALLS_PER_SECOND = 160;
const ANSWERS_PER_SECOND = 10;
const STRANGERS_PER_SECOND = 60;

export function readTraffic(stage: SoakStage, perSecond: number): Traffic {
  const nextPerson = rotate(stage.people);
  return {
    name: "read",
    perSecond,
    mostUnderWay: 250,
    isExpected: isServedOrRejected,
    send: () =>
      statusOf(stage, { method: "GET", path: "/rest/v1/agents?select=id,name", headers: nextPerson().headers }),
  };
}

/** Everything that people do, and what others try, at more than `capacity` calls a second together. */
export function mixedTraffic(stage: SoakStage, capacity: number, canRespond: boolean): Traffic[] {
  const { anonKey } = stage;
  const nextPerson = rotate(stage.people);
  const nextStranger = strangersOf(stage.people[0], anonKey);
  const nextGarbage = rotate(garbageOf(stage.people[0], anonKey));
  const good = { isExpected: isServedOrRejected, mostUnderWay: 100 };
  let written = 0;
  const write = (): Call => {
    const { headers, agentId } = nextPerson();
    written += 1;
    return {
      method: "PATCH",
      path: `/rest/v1/agents?id=eq.${agentId}`,
      headers,
      body: JSON.stringify({ role: `role ${written}` }),
    };
  };
  const signIn = (): Call => ({
    method: "POST",
    path: "/auth/v1/token?grant_type=password",
    headers: { apikey: anonKey },
    body: JSON.stringify({ email: nextPerson().email, password: PASSWORD }),
  });
  const traffic: Traffic[] = [
    readTraffic(stage, capacity * 0.8),
    { ...good, name: "write", perSecond: capacity * 0.2, send: () => statusOf(stage, write()) },
    {
      ...good,
      name: "slow call",
      perSecond: SLOW_CALLS_PER_SECOND,
      send: () =>
        statusOf(stage, { method: "POST", path: "/rest/v1/rpc/soak_wait", headers: nextPerson().headers, body: "{}" }),
    },
    {
      ...good,
      name: "sign-in",
      perSecond: SIGN_INS_PER_SECOND,
      mostUnderWay: 500,
      send: () => statusOf(stage, signIn()),
    },
    {
      name: "stranger",
      perSecond: STRANGERS_PER_SECOND,
      mostUnderWay: 50,
      isExpected: (status) => isServedOrRejected(status) || isRejected(status),
      send: () => statusOf(stage, nextStranger()),
    },
    {
      name: "garbage",
      perSecond: capacity * 0.1,
      mostUnderWay: 50,
      isExpected: isRejected,
      send: () => statusOf(stage, nextGarbage()),
    },
  ];
  if (canRespond) {
    traffic.push({
      name: "agent answer",
      perSecond: ANSWERS_PER_SECOND,
      mostUnderWay: 40,
      isExpected: (status) => isServedOrRejected(status) || status === 409,
      send: () => statusOf(stage, respondCall(nextPerson())),
    });
  }
  return traffic;
}

export function respondCall({ headers, swarmId }: Person): Call {
  return {
    method: "POST",
    path: "/functions/v1/agent-respond",
    headers,
    body: JSON.stringify({ swarm_id: swarmId, message: "How are you?" }),
  };
}

function garbageOf(person: Person | undefined, apikey: string): Call[] {
  const headers = person?.headers ?? {};
  return [
    { method: "GET", path: "/nowhere" },
    { method: "GET", path: "/rest/v1/agents" },
    { method: "GET", path: "/rest/v1/agents", headers: { apikey: "x".repeat(2_000) } },
    { method: "GET", path: "/rest/v1/agents?select=)(", headers },
    { method: "GET", path: `/rest/v1/agents?or=${"(".repeat(5_000)}`, headers },
    { method: "POST", path: "/rest/v1/agents", headers, body: "{" },
    { method: "POST", path: "/rest/v1/agents", headers, body: "[".repeat(50_000) },
    { method: "POST", path: "/functions/v1/webhooks", headers, body: '{"action":"\\u0000"}' },
    { method: "POST", path: "/auth/v1/token?grant_type=password", headers: { apikey }, body: "[]" },
    { method: "GET", path: "/auth/v1/user", headers: { apikey, authorization: "Bearer x.y.z" } },
    { method: "BREW", path: "/%00" },
  ];
}

/** Calls that are never the same twice, so that whatever is remembered of one has to be forgotten again. */
function strangersOf(person: Person | undefined, apikey: string): () => Call {
  const headers = person?.headers ?? {};
  const [head = "", , signature = ""] = person?.token.split(".") ?? [];
  const forms: ((name: string) => Call)[] = [
    (name) => ({ method: "GET", path: `/${name}` }),
    (name) => ({ method: "GET", path: `/rest/v1/agents?select=${name}:name&${name}=not.eq.1`, headers }),
    (name) => ({ method: "GET", path: `/rest/v1/agents?select=id,${name}:name`, headers }),
    (name) => ({ method: "GET", path: "/rest/v1/agents", headers: { apikey: name.padEnd(apikey.length, "x") } }),
    (name) => ({ method: "GET", path: "/auth/v1/user", headers: { apikey, authorization: bearer(name) } }),
    (name) => ({
      method: "POST",
      path: "/auth/v1/token?grant_type=password",
      headers: { apikey },
      body: JSON.stringify({ email: `${name}@example.test`, password: PASSWORD }),
    }),
  ];
  const bearer = (name: string): string =>
    `Bearer ${head}.${Buffer.from(JSON.stringify({ sub: name })).toString("base64url")}.${signature}`;
  const nextForm = rotate(forms);
  return () => nextForm()(`s${randomUUID().replaceAll("-", "")}`);
}

async function statusOf({ client }: SoakStage, call: Call): Promise<number> {
  return (await client.send(call)).status;
}

function rotate<Item>(items: readonly Item[]): () => Item {
  let next = 0;
  return () => {
    const item = items[next % items.length];
    next += 1;
    if (item === undefined) throw new Error("there is nothing to take from");
    return item;
  };
}
