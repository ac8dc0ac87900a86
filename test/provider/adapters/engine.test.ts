import net, { AddressInfo, createServer, Socket } from "node:net";
import { watchEngine } from "../../../provider/adapters/engine";

/** Something that listens where an engine would. */
async function listening(): Promise<{ address: string; close(): Promise<void> }> {
  const server = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((done) => server.close(() => done())),
  };
}

let begun: jest.SpyInstance;
beforeEach(() => {
  begun = jest.spyOn(global, "setInterval");
});
afterEach(() => {
  // What still watches would end the process that runs the tests.
  for (const { value } of begun.mock.results) clearInterval(value);
  begun.mockRestore();
});

test("nothing is sent when Pulumi has ended, and the process ends itself", async () => {
  const { address, close } = await listening();
  const exit = jest.spyOn(process, "exit").mockImplementation((() => {}) as never);
  const engine = watchEngine(address);
  await engine.assertAlive();
  await new Promise((done) => setTimeout(done, 1200));
  expect(exit).not.toHaveBeenCalled();
  await close();
  await expect(engine.assertAlive()).rejects.toThrow("Pulumi has ended, so nothing could be saved any more; nothing was sent.");
  await new Promise((done) => setTimeout(done, 1200));
  expect(exit).toHaveBeenCalledWith(1);
  exit.mockRestore();
});

test("an error that says nothing of Pulumi is none of its end", async () => {
  const failing = new Socket();
  const connecting = jest.spyOn(net, "connect").mockReturnValue(failing);
  const alive = watchEngine("127.0.0.1:1").assertAlive();
  failing.emit("error", Object.assign(new Error("too many open files"), { code: "EMFILE" }));
  await alive;
  connecting.mockRestore();
});

test("a process that no engine started watches nothing", async () => {
  await watchEngine(undefined).assertAlive();
  await watchEngine("/some/file.js").assertAlive();
});

test.each([
  ["true", false],
  ["1", false],
  ["false", true],
  ["", true],
])("PULUMI_SKIP_CHECKPOINTS=%s: saves after each resource: %s", (value, saves) => {
  process.env.PULUMI_SKIP_CHECKPOINTS = value;
  expect(watchEngine(undefined).savesEachStep).toBe(saves);
  delete process.env.PULUMI_SKIP_CHECKPOINTS;
});
