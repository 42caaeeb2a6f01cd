/** The overlay that is open, if any. */
export type Overlay = "palette" | "shortcuts" | null;
