import { RekeyInputs } from "../../provider/secrets";
import { call, openBaoVersion, previousOpenBaoVersion } from "../../tools/servers";
import { stack, tools } from "../provider/secrets/rekey/story";
import { Node, startNodes } from "../support/nodes";
import { holders, readAll } from "../support/pgp";
import { onServer, RekeyTarget } from "../support/rekey";
import { isNight } from "../support/scope";

// A rekey for holders with PGP keys, each of whom runs Pulumi with one share, while OpenBao is upgraded on the same integrated storage.

let node: Node;
let target: RekeyTarget;
let program: RekeyInputs;
beforeEach(async () => {
  const { nodes, token, keys } = await startNodes(1, "previous-openbao");
  [node] = nodes as [Node];
  expect(await version()).toBe(previousOpenBaoVersion);
  target = await onServer({ address: node.address, token, keys, stop: () => node.stop() }, { dialect: "openbao", keys: "unseal" });
});
const { forHolders, submit } = tools(() => target);
afterEach(() => Promise.all([target.stop(), node.stop()]));
const version = async (): Promise<string> => (await call(node.address, "GET", "sys/health")).version;
const backup = (): ReturnType<RekeyTarget["outOfBand"]> => target.outOfBand("GET", "sys/rekey/backup");

/** Declares a rekey for five holders, so many of whom are required. */
async function begin(secretThreshold: number): Promise<void> {
  const byRun = { currentShares: [{ env: "SHARE" }], newShares: [{ env: "NEW_SHARE" }], keepSharesInState: undefined };
  const more = { secretShares: 5, secretThreshold, backup: true, onWaiting: undefined };
  program = (await forHolders(5, { ...byRun, ...more })).pgp;
}

/** Runs with these variables, one after the other. Returns the phase after each, or the id with which it stops. */
async function runs(...each: Record<string, string>[]): Promise<string[]> {
  const ends: string[] = [];
  for (const variables of each) {
    for (const name of ["SHARE", "NEW_SHARE"]) delete process.env[name];
    Object.assign(process.env, variables);
    const stop = await stack.up(program).catch(({ details }) => details.rule);
    ends.push(typeof stop === "string" ? stop : stack.outputs.progress.phase);
  }
  return ends;
}
const current = (count: number) => target.first.slice(0, count).map((SHARE) => ({ SHARE }));
const fresh = (shares: string[], count: number) => shares.slice(0, count).map((NEW_SHARE) => ({ NEW_SHARE }));
async function make(): Promise<string[]> {
  expect(await runs(...current(3))).toEqual(["submitting", "submitting", "verifying"]);
  return readAll(await holders(5), stack.outputs.encryptedShares);
}

/** Restarts the server, which keeps the backup. Only the shares after `invalid` unseal it. */
async function upgrade(shares: string[], invalid?: string[]): Promise<void> {
  const stored = await backup();
  await node.stop();
  node.product = "openbao";
  await node.start();
  if (invalid) expect(await node.unseal(invalid)).toBe(false);
  expect(await node.unseal(shares)).toBe(true);
  await node.becomesActive();
  expect([await version(), await backup()]).toEqual([openBaoVersion, stored]);
}

/** The next run starts the rekey anew, and the others complete it. Then the new shares open the server, and the previous ones do not. */
async function completes(required: number, variables = {}): Promise<void> {
  expect(await runs(variables)).toEqual(["rekey/attempt-restarted"]);
  const shares = await make();
  expect(await runs(...fresh(shares, required))).toEqual(["verifying", "verifying", "complete"].slice(-required));
  await upgrade(shares, target.first);
  expect([await stack.up({ ...program, removeBackup: true }), (await backup()).status]).toEqual([["same", "same", "update"], 400]);
}

test.each(isNight ? [0, 2] : [2])("an attempt is lost after one share and %i of others, and the next runs complete it", async (others) => {
  await begin(2);
  expect(await runs(...current(1))).toEqual(["submitting"]);
  // Two more make new shares. Their backup outlives the attempt, and is not that of another rekey.
  await submit(...target.first.slice(1, 1 + others));
  expect((await backup()).status).toBe(others === 0 ? 400 : 200);
  await upgrade(target.first);
  await completes(2);
});

test.each(isNight ? [2, 3] : [3])("new shares are lost, one verified of %i required, and the next runs complete it", async (required) => {
  await begin(required);
  const shares = await make();
  expect(await runs(...fresh(shares, 1))).toEqual(["verifying"]);
  await upgrade(target.first);
  // A server that requires another number of shares does not have the new ones.
  const tested = ["testing", "testing", "rekey/not-accepted"].slice(required === 3 ? 0 : 2);
  expect(await runs({}, ...fresh(shares, tested.length))).toEqual(["rekey/outcome-unknown", ...tested]);
  await completes(required, ...current(1));
});
