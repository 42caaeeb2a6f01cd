/** What lies above the page. */
export type Overlay = "palette" | "shortcuts" | null;
