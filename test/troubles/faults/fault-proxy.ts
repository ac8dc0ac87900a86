import { createServer, Server, request as send } from "node:http";
import { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/** A proxy in front of a server that can be closed. The machine then refuses connections, as for a port without a listener. */
export class FaultProxy {
  url = "";
  private open: number | undefined;
  private readonly server: Server;

  constructor(private readonly address: string) {
    this.server = createServer(async (incoming, outgoing) => {
      const { method, url = "/", headers } = incoming;
      const last = this.open !== undefined && --this.open <= 0;
      const body = Buffer.concat(await incoming.toArray());
      const passed = send(new URL(url, address), { method, headers: { ...headers, host: new URL(address).host } }, async (answer) => {
        if (last) this.server.close();
        // A keep-alive connection would still work after the proxy is closed.
        outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
        await pipeline(answer, outgoing).catch(() => incoming.socket.destroy());
      });
      passed.on("error", () => incoming.socket.destroy());
      passed.end(body);
    });
  }

  async listen(): Promise<void> {
    const port = this.url === "" ? 0 : Number(new URL(this.url).port);
    await new Promise<void>((done) => this.server.listen(port, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes the proxy after this many more responses. */
  closeAfter(count: number): void {
    this.open = count;
    if (count === 0) this.close();
  }

  /** Opens the proxy again. */
  async reopen(): Promise<void> {
    this.open = undefined;
    if (!this.server.listening) await this.listen();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
