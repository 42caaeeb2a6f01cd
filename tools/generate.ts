import { runNamed } from "./run-named.ts";

await runNamed("generate", {
  reference: () => import("./write-reference.ts"),
  "sdk-types": () => import("./write-sdk-types.ts"),
  diagrams: () => import("./draw-diagrams.ts"),
  pictures: () => import("./take-pictures.ts"),
  engines: () => import("./lock-engines.ts"),
  console: () => import("../console/build.ts"),
  "released-migrations": () => import("./record-released-migrations.ts"),
  texts: () => import("../console/build/list-texts.ts"),
});
