/** What lies above the scene. */
export type Overlay = "palette" | "shortcuts" | null;
