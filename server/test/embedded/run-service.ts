// A service with nothing but the embedded server, as a process that tests can kill.
import { startEmbedded } from "../../src/db/embedded/start-embedded.ts";
import { createObserver } from "../../src/observe/index.ts";

const [dataDir = "", port = "0", superuserPassword = "", umask = ""] = process.argv.slice(2);
if (umask !== "") process.umask(Number.parseInt(umask, 8));
const say = (line: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const server = await startEmbedded({
    dataDir,
    wantedPort: Number(port),
    superuserPassword,
    observer: createObserver({ level: "debug", format: "json" }),
    onProgress: (line) => say({ event: "test.progress", line }),
  });
  const { adminUrl, tcpPort, socketDir } = server;
  say({ event: "test.ready", adminUrl, tcpPort, socketDir });
  process.stdin.resume();
  process.stdin.once("end", () => {
    void server.stop().then(() => process.exit(0));
  });
} catch (fault) {
  say({ event: "test.failed", name: (fault as Error).name, message: (fault as Error).message });
  process.exitCode = 1;
}
