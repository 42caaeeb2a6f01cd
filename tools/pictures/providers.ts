/** Fictional models, so that no vendor appears in the pictures; with prices, so that there is a cost to show. */
export function describeProviders(url: string): object {
  const supports = { temperature: true, temperature_max: 2, top_p: true, penalties: true, stop: 4, tools: true };
  const describeModel = (id: string, input: number, output: number) => ({
    id,
    context_window: 131_072,
    max_output_tokens: 8192,
    price: { input, output },
    supports,
  });
  const kind = "openai-compatible";
  return {
    provider_a: {
      kind,
      base_url: url,
      default_model: "mellifera-large",
      models: [describeModel("mellifera-large", 2, 8), describeModel("mellifera-small", 0.3, 1.2)],
    },
    provider_b: { kind, base_url: url, default_model: "cerana-2", models: [describeModel("cerana-2", 1, 5)] },
  };
}
