// The health check of the container image: exits with 0 when the node can serve requests.
import http from "node:http";
import https from "node:https";

const { PORT = "8443", TLS_MODE = "serve" } = process.env;
const { get } = TLS_MODE === "proxy" ? http : https;
// The certificate belongs to the public name; this request stays inside the container.
const options = { host: "127.0.0.1", port: PORT, path: "/ready", timeout: 5_000, rejectUnauthorized: false };

get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on("timeout", () => process.exit(1))
  .on("error", () => process.exit(1));
