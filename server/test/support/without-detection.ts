/** For the environment of services under test: what runs on the machine, such as an Ollama, must not answer them. */
export const WITHOUT_DETECTION = { PROVIDER_DETECTION: "false" } as const;
