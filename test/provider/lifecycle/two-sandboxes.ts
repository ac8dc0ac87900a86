import { Sandbox, start } from "../../../sandbox/index";
import { Engine } from "../../support/engine";

// Two Vaults for the tests of a file, reset before each.

export let sandbox: Sandbox;
export let other: Sandbox;
beforeAll(async () => {
  [sandbox, other] = await Promise.all([start({ dialect: "hashicorp" }), start({ dialect: "hashicorp" })]);
});
afterAll(() => Promise.all([sandbox.close(), other.close()]));
beforeEach(() => Promise.all([sandbox.reset(), other.reset()]));

export const to = ({ secrets }: Sandbox, more: object = {}): Record<string, object> => ({
  secrets: { address: secrets.url, token: secrets.token, dialect: "hashicorp", ...more },
});
export const engine = (type: string, config: Record<string, object> = { "steward:default": to(sandbox) }): Engine =>
  new Engine(`secrets:${type}`, config);
export const sent = (which = sandbox): string[] => which.requests().map(({ method, path }) => `${method} ${path}`);
/** The status of a read at this service. */
export const hold = async (which: Sandbox, path: string): Promise<number> =>
  (await fetch(`${which.secrets.url}/v1/${path}`, { headers: { "X-Vault-Token": which.secrets.token } })).status;
