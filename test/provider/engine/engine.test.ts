import { once } from "node:events";
import net, { AddressInfo, createServer, Socket } from "node:net";
import { monitorEngine } from "../../../provider/engine/engine";

/** Kills the engines that still listen. */
const kills = new Set<() => Promise<void>>();

/** Listens like an engine, until it is killed. */
async function listen(chosen = 0) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  await once(server.listen(chosen, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  /** Resolves once there is a connection. */
  const connected = async (): Promise<unknown> => sockets[0] ?? once(server, "connection");
  /** Closes all sockets, as the kernel does for a killed process. */
  const kill = async (): Promise<void> => {
    kills.delete(kill);
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  kills.add(kill);
  return { port, address: `127.0.0.1:${port}`, connected, kill };
}

/** Monitors an engine that is alive. */
async function monitored() {
  const listener = await listen();
  const engine = monitorEngine(listener.address);
  await listener.connected();
  await engine.assertAlive();
  return { engine, ...listener };
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
  for (const kill of kills) await kill();
  exit.mockRestore();
});

test("nothing is sent after Pulumi has ended, and the provider's process ends", async () => {
  const { engine, kill } = await monitored();
  expect(exit).not.toHaveBeenCalled();
  await kill();
  await expect(engine.assertAlive()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" });
  expect(await exited).toBe(1);
});

test("another process on the port of a killed engine does not count as the engine", async () => {
  const { engine, port, kill } = await monitored();
  await kill();
  // If another process has this port already, that process serves the purpose.
  await listen(port).catch((error) => expect(error).toMatchObject({ code: "EADDRINUSE" }));
  expect(await exited).toBe(1);
  await expect(engine.assertAlive()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" });
});

test("an engine that ends before the first connection ends the provider's process", async () => {
  const { address, kill } = await listen();
  await kill();
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
