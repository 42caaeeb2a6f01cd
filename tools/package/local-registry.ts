import { execFile } from "node:child_process";
import { once } from "node:events";
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Manifest } from "./manifest.ts";
import type { PackedPackage } from "./pack.ts";

export interface LocalRegistry {
  /** For `npm --registry`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A registry on this machine that has the packed packages, and redirects to the registry of npm's configuration for all others. */
export async function openLocalRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"], {
    shell: process.platform === "win32",
  });
  const upstream = withSlash(stdout.trim());
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname).slice(1);
    const [name = "", file] = path.split("/-/");
    const found = packages.find((one) => one.name === name);
    if (found === undefined) {
      response.writeHead(302, { location: new URL(request.url?.slice(1) ?? "", upstream).href }).end();
    } else if (file === undefined) {
      const { port } = server.address() as AddressInfo;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(describe(found, `http://127.0.0.1:${port}/`)));
    } else {
      createReadStream(found.tarball)
        .on("error", () => response.destroy())
        .pipe(response);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function describe({ name, version, folder, tarball, integrity }: PackedPackage, url: string): object {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const dist = { tarball: `${url}${name}/-/${basename(tarball)}`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
