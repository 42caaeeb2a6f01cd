import type { Observer } from "../../src/observe/index.ts";

export const silentObserver: Observer = {
  note() {},
  child() {
    return silentObserver;
  },
};
