import { createServer } from "node:https";

/** An endpoint in a separate process: reads the body, responds with 200, counts. Under /slow it takes a second. */
process.once("message", ({ cert, key }: { cert: string; key: string }) => {
  let received = 0;
  const latenciesMs: number[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    const isSlow = request.url?.startsWith("/slow") === true;
    const answer = (): void => void response.writeHead(200, { "content-length": 2 }).end("ok");
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (isSlow) {
        setTimeout(answer, 1_000);
        return;
      }
      received += 1;
      const sentAtMs = /"sent_at_ms" ?: ?([\d.]+)/.exec(Buffer.concat(chunks).toString())?.[1];
      if (sentAtMs !== undefined) latenciesMs.push(Date.now() - Number(sentAtMs));
      answer();
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
  });
  process.on("message", () => {
    process.send?.({ received, latenciesMs });
    received = 0;
    latenciesMs.length = 0;
  });
});
process.on("disconnect", () => process.exit());
