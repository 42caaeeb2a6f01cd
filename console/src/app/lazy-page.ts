import { type ComponentType, lazy } from "react";
import { createStore, useStore } from "../data/store.ts";

const loading = createStore(0);

/** Whether the files of a page are on their way. Until they arrive, a navigation leaves the previous page on the screen. */
export function useIsLoadingPage(): boolean {
  return useStore(loading) > 0;
}

const starts = new WeakMap<ComponentType, () => Promise<unknown>>();

/** A component whose files are loaded when it is first rendered, or before by `startLoading`. */
export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  let loaded: Promise<{ default: ComponentType }> | null = null;
  const start = () => (loaded ??= track(load));
  const page = lazy(start);
  starts.set(page, start);
  return page;
}

/** Loads the files of a page that will be rendered inside of another one, while those of the other one are loading. */
export function startLoading(page: ComponentType | null | undefined): void {
  const start = page === null || page === undefined ? undefined : starts.get(page);
  // The page reports the failure when it is rendered.
  start?.().catch(() => {});
}

async function track(load: () => Promise<ComponentType>): Promise<{ default: ComponentType }> {
  // React calls this while it renders, when no other component may change.
  await Promise.resolve();
  loading.set(loading.get() + 1);
  try {
    return { default: await load() };
  } finally {
    loading.set(loading.get() - 1);
  }
}
