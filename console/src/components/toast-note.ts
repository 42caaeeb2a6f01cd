export interface ToastNote {
  readonly text: string;
  readonly tone?: "good" | "bad";
  /** "Undo" or another follow-up action. */
  readonly action?: { readonly label: string; run(): void };
}

export interface ShownNote extends ToastNote {
  readonly id: string;
}
