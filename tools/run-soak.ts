import { runSoak } from "../server/test/soak/run-soak.ts";

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 3_600;

/** More traffic than a service can serve, against one of its own on loopback. `npm run test:soak -- 10` says for how many seconds. */
const seconds = Number(process.argv[2] ?? DEFAULT_SECONDS);
if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS) {
  console.error(`the number of seconds must be from 1 to ${MOST_SECONDS}`);
  process.exitCode = 2;
} else {
  const isGood = await runSoak(seconds, (line) => console.log(line));
  process.exitCode = isGood ? 0 : 1;
}
