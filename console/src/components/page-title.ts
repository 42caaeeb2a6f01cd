import { useEffect } from "react";

let title = "";
let count = 0;

/** Sets the title of the tab while the component is mounted. */
export function usePageTitle(name: string): void {
  useEffect(() => {
    title = name;
    show();
  }, [name]);
}

/** The number of decisions that the user has to make, before the title of each page: a tab in the background shows it. */
export function useTitleCount(waiting: number): void {
  useEffect(() => {
    count = waiting;
    show();
    return () => {
      count = 0;
      show();
    };
  }, [waiting]);
}

function show(): void {
  document.title = `${count > 0 ? `(${count}) ` : ""}${title} · Swarmbase`;
}
