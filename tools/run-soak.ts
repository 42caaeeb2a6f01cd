import { runSoak } from "../server/test/soak/run-soak.ts";

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 3_600;

/**
 * Sends more traffic than a service can serve, against its own service on loopback. `npm run test:system -- soak 10` sets the
 * duration in seconds.
 */
const seconds = Number(process.argv[2] ?? DEFAULT_SECONDS);
if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS) {
  console.error(`the number of seconds must be between 1 and ${MOST_SECONDS}`);
  process.exitCode = 2;
} else {
  const isGood = await runSoak(seconds, (line) => console.log(line));
  process.exitCode = isGood ? 0 : 1;
}
