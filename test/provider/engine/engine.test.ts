import { once } from "node:events";
import net, { AddressInfo, createServer, Server, Socket } from "node:net";
import { monitorEngine } from "../../../provider/engine/engine";

const listeners = new Set<Listener>();

/** Listens like an engine, until it is killed. */
class Listener {
  private readonly connections: Socket[] = [];
  private constructor(private readonly server: Server) {
    server.on("connection", (socket) => this.connections.push(socket.on("error", () => {})));
  }

  static async start(port = 0): Promise<Listener> {
    const server = createServer();
    const listener = new Listener(server);
    await once(server.listen(port, "127.0.0.1"), "listening");
    listeners.add(listener);
    return listener;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Resolves once there is a connection. */
  async connected(): Promise<void> {
    if (this.connections.length === 0) await once(this.server, "connection");
  }

  /** Closes all sockets, as the kernel does for a killed process. */
  async kill(): Promise<void> {
    listeners.delete(this);
    const closed = once(this.server, "close");
    this.server.close();
    for (const socket of this.connections) socket.destroy();
    await closed;
  }
}

let exit: jest.SpyInstance;
/** Resolves when the process ends, which also ends the monitoring. */
let exited: Promise<unknown>;
beforeEach(() => {
  exited = new Promise((done) => {
    exit = jest.spyOn(process, "exit").mockImplementation(((code: number) => done(code)) as never);
  });
});
afterEach(async () => {
  for (const listener of listeners) await listener.kill();
  exit.mockRestore();
});

test("nothing is sent after Pulumi has ended, and the provider's process ends", async () => {
  const listener = await Listener.start();
  const engine = monitorEngine(listener.address);
  await listener.connected();
  await engine.assertAlive();
  expect(exit).not.toHaveBeenCalled();
  await listener.kill();
  await expect(engine.assertAlive()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" });
  expect(await exited).toBe(1);
});

test("another process on the port of a killed engine does not count as the engine", async () => {
  const listener = await Listener.start();
  const engine = monitorEngine(listener.address);
  await listener.connected();
  await engine.assertAlive();
  const { port } = listener;
  await listener.kill();
  // If another process has this port already, that process serves the purpose.
  await Listener.start(port).catch((error) => expect(error).toMatchObject({ code: "EADDRINUSE" }));
  expect(await exited).toBe(1);
  await expect(engine.assertAlive()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" });
});

test("an engine that ends before the first connection ends the provider's process", async () => {
  const listener = await Listener.start();
  const { address } = listener;
  await listener.kill();
  monitorEngine(address);
  expect(await exited).toBe(1);
});

test("a connection error that says nothing about the engine does not end the process, and the next connection is held", async () => {
  const listener = await Listener.start();
  const failing = [new Socket(), new Socket()];
  const connecting = jest.spyOn(net, "connect");
  for (const socket of failing) connecting.mockReturnValueOnce(socket);
  const engine = monitorEngine(listener.address);
  const alive = engine.assertAlive();
  for (const socket of failing) socket.destroy(Object.assign(new Error("too many open files"), { code: "EMFILE" }));
  await alive;
  expect(connecting).toHaveBeenCalledTimes(2);
  connecting.mockRestore();
  await listener.connected();
  expect(exit).not.toHaveBeenCalled();
  await listener.kill();
  expect(await exited).toBe(1);
});

test("a process without an engine monitors nothing", async () => {
  const connecting = jest.spyOn(net, "connect");
  await monitorEngine(undefined).assertAlive();
  await monitorEngine("/some/file.js").assertAlive();
  expect(connecting).not.toHaveBeenCalled();
  connecting.mockRestore();
});

test.each([
  ["true", false],
  ["1", false],
  ["false", true],
  ["", true],
])("with PULUMI_SKIP_CHECKPOINTS=%s, Pulumi saves after each resource: %s", (value, saves) => {
  process.env.PULUMI_SKIP_CHECKPOINTS = value;
  expect(monitorEngine(undefined).savesEachStep).toBe(saves);
  delete process.env.PULUMI_SKIP_CHECKPOINTS;
});
