export function neverStartedError(dataDir: string): Error {
  return new Error(
    `The service has not been started with the data directory ${dataDir} yet. Start it once, for example with: npm start`,
  );
}
