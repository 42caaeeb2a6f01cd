import { runNamed } from "./run-named.ts";

/** Tests that take longer than a run of the suite may, or need another checkout. */
await runNamed("test:system", {
  chaos: () => import("./run-chaos.ts"),
  soak: () => import("./run-soak.ts"),
  upgrade: () => import("./run-upgrade-test.ts"),
});
