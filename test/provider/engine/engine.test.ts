import { once } from "node:events";
import net, { AddressInfo, createServer, Socket } from "node:net";
import { monitorEngine } from "../../../provider/engine/engine";

const listeners = new Set<Listener>();

interface Listener {
  port: number;
  address: string;
  /** Resolves once there is a connection. */
  connected(): Promise<void>;
  /** Closes all sockets, as the kernel does for a killed process. */
  kill(): Promise<void>;
}

/** Listens like an engine, until it is killed. */
async function listen(chosen = 0): Promise<Listener> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  await once(server.listen(chosen, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const listener: Listener = {
    port,
    address: `127.0.0.1:${port}`,
    async connected() {
      if (sockets.length === 0) await once(server, "connection");
    },
    async kill() {
      listeners.delete(listener);
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  listeners.add(listener);
  return listener;
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
  const listener = await listen();
  const engine = monitorEngine(listener.address);
  await listener.connected();
  await engine.assertAlive();
  expect(exit).not.toHaveBeenCalled();
  await listener.kill();
  await expect(engine.assertAlive()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" });
  expect(await exited).toBe(1);
});

test("another process on the port of a killed engine does not count as the engine", async () => {
  const listener = await listen();
  const engine = monitorEngine(listener.address);
  await listener.connected();
  await engine.assertAlive();
  const { port } = listener;
  await listener.kill();
  // If another process has this port already, that process serves the purpose.
  await listen(port).catch((error) => expect(error).toMatchObject({ code: "EADDRINUSE" }));
  expect(await exited).toBe(1);
  await expect(engine.assertAlive()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" });
});

test("an engine that ends before the first connection ends the provider's process", async () => {
  const listener = await listen();
  const { address } = listener;
  await listener.kill();
  monitorEngine(address);
  expect(await exited).toBe(1);
});

test("a connection error that says nothing about the engine does not end the process, and the next connection is held", async () => {
  const listener = await listen();
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
