import { once } from "node:events";
import net from "node:net";
import { constants, setPriority } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ProviderAnswer, ProviderQuestion } from "../agents/provider-process.ts";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { forkAsked } from "../rest/child.ts";
import { createProgress } from "../rest/progress.ts";
import { startVersion } from "../versions/start-version.ts";
import type { AttackerAnswer, AttackerQuestion } from "./attacker-process.ts";
import { type AttackName, ATTACKS } from "./attacks.ts";
import { watchMemory } from "./memory.ts";
import { prepareAttacker } from "./prepare-attacker.ts";
import { type NeighbourFigures, tabulateNeighbours } from "./tabulate.ts";
import { createVictim } from "./victim.ts";

/** Measures what one user can do to another. Run: npm run bench -- neighbours [--quick|--smoke] [--only "lock hog"] */
const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    json: { type: "string" },
    /** A part of the name of an attack. */
    only: { type: "string", default: "" },
    /** The folder of another checkout, with its packages installed. */
    folder: { type: "string", default: resolve(import.meta.dirname, "../..") },
  },
});
const MEASURE_MS = pickLength(values, { smoke: 500, quick: 4_000, full: 15_000 });
const WARM_UP_MS = pickLength(values, { smoke: 500, quick: 3_000, full: 3_000 });
/** Until the attack has reached its full strength. */
const RAMP_UP_MS = pickLength(values, { smoke: 2_000, quick: 3_000, full: 3_000 });
const SETTLE_MS = pickLength(values, { smoke: 200, quick: 2_000, full: 5_000 });
const QUEUED = pickLength(values, { smoke: 1_000, quick: 20_000, full: 200_000 });

const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  progress.stage("provider, service and attacker start");
  const provider = forkAsked<ProviderQuestion, ProviderAnswer>(
    resolve(import.meta.dirname, "../agents/provider-process.ts"),
  );
  closers.add(() => provider.stop());
  runElsewhere(provider);
  const { port } = await provider.ask({ kind: "start" });
  const hangingPort = await listenSilently();
  const version = await startVersion({
    name: "the service",
    folder: resolve(values.folder),
    // Rate limits of requests are in force; those of attempts to sign in and of AI responses would end the attacks.
    settings: {
      LIMIT_API: "100",
      PROVIDER_A_KIND: "openai-compatible",
      PROVIDER_A_BASE_URL: `http://127.0.0.1:${port}/v1`,
      PROVIDER_A_API_KEY: "bench",
      PROVIDER_A_MODELS: "bench",
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
    },
  });
  closers.add(() => version.stop());
  const memory = await watchMemory(version.pid);
  closers.add(() => memory.stop());
  runElsewhere(memory);
  progress.stage("rows of the victim are created");
  const victim = await createVictim(version);
  closers.add(async () => victim.close());
  const attacking = forkAsked<AttackerQuestion, AttackerAnswer>(resolve(import.meta.dirname, "attacker-process.ts"));
  closers.add(() => attacking.stop());
  runElsewhere(attacking);
  await victim.measure(WARM_UP_MS);

  const all: NeighbourFigures[] = [];
  const attacks = (Object.keys(ATTACKS) as AttackName[]).filter((attack) => attack.includes(values.only));
  for (const attack of attacks) {
    progress.stage(`${attack}: rows of the attacker are created`);
    // A user of its own for each attack, whom the attacks before have not brought to the rate limit.
    const { queueDeliveries, ...context } = await prepareAttacker(version, `https://127.0.0.1:${hangingPort}/`);
    await sleep(SETTLE_MS);
    progress.stage(`${attack}: the victim before it`);
    const before = await victim.measure(MEASURE_MS);
    const memoryBeforeMib = await memory.readNow();
    await memory.takePeak();
    progress.stage(`${attack}: the victim beside it`);
    const removeQueue = attack === "200,000 queued deliveries" ? await queueDeliveries(QUEUED) : null;
    await attacking.ask({ kind: "start", attack, context });
    await sleep(RAMP_UP_MS);
    const beside = await victim.measure(MEASURE_MS);
    const answers = await attacking.ask({ kind: "stop" });
    const memoryPeakMib = await memory.takePeak();
    await removeQueue?.();
    await sleep(SETTLE_MS);
    progress.stage(`${attack}: the victim after it`);
    const after = await victim.measure(MEASURE_MS);
    all.push({ attack, before, beside, after, memoryBeforeMib, memoryPeakMib, answers });
  }
  progress.end();
  openReport(values.json).add(tabulateNeighbours(all));
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
  progress.end();
}

/** What is not part of the service, such as attackers and providers of models, has a machine of its own. Here it gets only the time that the service leaves. */
function runElsewhere({ pid }: { readonly pid: number }): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
}

/** An endpoint that accepts connections and says nothing. */
async function listenSilently(): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.add(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as net.AddressInfo).port;
}
