import assert from "node:assert/strict";
import { test } from "node:test";
import { listFirstLoad } from "../console/first-load.ts";

const MANIFEST = {
  "index.html": { file: "assets/main.js", imports: ["_shared.js"], css: ["assets/main.css"] },
  "_shared.js": { file: "assets/shared.js", imports: ["index.html"] },
  "src/pages/home/index.tsx": { file: "assets/home.js", imports: ["_shared.js"], css: ["assets/home.css"] },
  "src/pages/usage/index.tsx": { file: "assets/usage.js" },
};

test("the first load has the shell, the page and their imports, each once", () => {
  assert.deepEqual(
    [...listFirstLoad(MANIFEST, ["src/pages/home/index.tsx"])].toSorted((left, right) => (left < right ? -1 : 1)),
    ["assets/home.css", "assets/home.js", "assets/main.css", "assets/main.js", "assets/shared.js", "index.html"],
  );
});

test("the first load of a page that is missing in the build is an error", () => {
  assert.throws(() => listFirstLoad(MANIFEST, ["src/pages/gone.tsx"]), /no src\/pages\/gone\.tsx/);
});
