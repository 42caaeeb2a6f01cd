import assert from "node:assert/strict";
import { test } from "node:test";
import { listFirstLoad } from "../console/first-load.ts";

const MANIFEST = {
  "index.html": { file: "assets/main.js", imports: ["_shared.js"], css: ["assets/main.css"] },
  "_shared.js": { file: "assets/shared.js", imports: ["index.html"] },
  "src/scenes/home/index.tsx": { file: "assets/home.js", imports: ["_shared.js"], css: ["assets/home.css"] },
  "src/scenes/usage/index.tsx": { file: "assets/usage.js" },
};

test("a visit loads the page, what it needs, and its scene, each once", () => {
  assert.deepEqual(
    [...listFirstLoad(MANIFEST, ["src/scenes/home/index.tsx"])].toSorted((left, right) => (left < right ? -1 : 1)),
    ["assets/home.css", "assets/home.js", "assets/main.css", "assets/main.js", "assets/shared.js", "index.html"],
  );
});

test("a scene that the build does not have is an error, not a smaller sum", () => {
  assert.throws(() => listFirstLoad(MANIFEST, ["src/scenes/gone.tsx"]), /no src\/scenes\/gone\.tsx/);
});
