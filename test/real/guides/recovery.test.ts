import { delimiter, dirname } from "node:path";
import { call, getOpenBao } from "../../../tools/servers";
import { installed } from "../../support/installation";
import { Node, Product, startNodes } from "../../support/nodes";
import { readPage } from "../../support/pages";
import { Reader } from "../../support/reader";
import { inputsFrom, RekeyStack } from "../../support/rekey";
import { inProgram } from "../../support/rekey-reader";
import { until } from "../../support/until";
import "../../support/printed";

// The procedures of docs/rekey/recovery.md that restore a server, with the page's commands, on Vaults with integrated storage.

const page = "docs/rekey/recovery.md";
const modules = installed();
let nodes: Node[] = [];
let reader: Reader;
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
});

const products = {
  vault: { program: "vault", dialect: "hashicorp", rootKey: "master" },
  openbao: { program: "bao", dialect: "openbao", rootKey: "root-key" },
};
/** Starts a cluster that is stopped after the test, and a reader who connects to its first node. */
async function begin(count: number, product?: Product) {
  const { nodes: started, token, keys } = await startNodes(count, product);
  nodes = started;
  const [first, ...others] = nodes as [Node, ...Node[]];
  reader = new Reader(page, {}, inProgram).with({ VAULT_ADDR: first.address, VAULT_TOKEN: token });
  return { token, keys, first, others };
}

const stackOn = ({ address }: Node, token: string, dialect = "hashicorp"): RekeyStack =>
  new RekeyStack({ "steward:default": { secrets: { address, token, dialect } } });

const save = "vault operator raft snapshot save before.snap";
const restore = "vault operator raft snapshot restore -force before.snap";

test("after a lost share and a lost state, the snapshot makes the previous shares valid again", async () => {
  const { keys, first } = await begin(1);
  await reader.project("dev", {}, modules());
  expect(readPage("docs/rekey/README.md")).toContain(save);
  await reader.run(save);
  // The first share is lost. The drill shows that the others are enough.
  const [, ...others] = keys;
  expect(await reader.says("pulumi-steward rekey drill", { input: `${others.slice(0, 3).join("\n")}\n` })).toMatch(/: works$/m);
  reader.with(Object.fromEntries(others.slice(0, 3).map((share, index) => [`SHARE_${index + 1}`, share])));
  reader.write(
    "index.ts",
    `import { secrets } from "pulumi-steward";
    new secrets.Rekey("unseal", { secretShares: 5, secretThreshold: 3, keepSharesInState: true,
      currentShares: ["SHARE_1", "SHARE_2", "SHARE_3"].map((env) => ({ env })) });`,
  );
  await reader.run("pulumi up");
  // The new shares were nowhere else.
  await reader.run("pulumi stack rm --force --yes && pulumi stack init dev");
  expect(await reader.run("npx --no pulumi-steward rekey drill", { input: `${others.join("\n")}\n`, code: 3 })).not.toContain(": works");

  await reader.says(restore);
  await first.stop();
  await first.start();
  await first.unseal(keys);
  await first.becomesActive();
  expect(await reader.run("pulumi up")).toContain("the new shares are valid");
});

test("with an active node, the snapshot is restored, and the nodes restart one after the other with their data", async () => {
  const { token, keys: previous, first, others } = await begin(3);
  await reader.project("dev", {}, modules());
  await reader.run(save);
  const stack = stackOn(first, token);
  await stack.up(inputsFrom(previous, { secretShares: 5, secretThreshold: 3 }));
  // From now on, no shares open the storage, while all nodes stay unsealed.
  await call(first.address, "DELETE", "sys/raw/core/hsm/barrier-unseal-keys", { headers: { "X-Vault-Token": token } });
  for (const shares of [previous, stack.outputs.shares])
    expect(await reader.run("npx --no pulumi-steward rekey drill", { input: `${shares.join("\n")}\n`, code: 1 })).not.toContain(": works");

  await reader.says(restore);
  const applied = async (node: Node): Promise<number> => {
    const status = await reader.with({ VAULT_ADDR: node.address }).says("vault status");
    return Number(/^Raft Applied Index +(\d+)$/m.exec(status)?.[1]);
  };
  const restored = await applied(first);
  for (const node of others) await until(`${node.address} has the snapshot`, async () => (await applied(node)) >= restored);
  for (const node of [...others, first]) {
    await node.stop();
    await node.start();
    await node.joins(previous);
  }
  const peers = await reader.says("vault operator raft list-peers");
  expect(peers.match(/ leader /g)).toHaveLength(1);
  expect(peers.match(/ follower +true/g)).toHaveLength(2);
  await stackOn(first, token).up(inputsFrom(previous, { triggers: ["2"] }));
});

test("without an active node, the snapshot is restored on a new cluster, which nodes with empty folders join", async () => {
  const { token, keys: previous, first, others } = await begin(3);
  await reader.run(save);
  await stackOn(first, token).up(inputsFrom(previous, { secretShares: 5, secretThreshold: 3 }));
  await Promise.all(nodes.map((node) => node.stop()));
  first.useEmptyFolder();
  await first.start();
  const created = await first.init();
  await first.unseal(created.keys_base64);
  await first.becomesActive();
  reader.with({ VAULT_TOKEN: created.root_token });
  await reader.says(restore);
  await first.stop();
  await first.start();
  await first.unseal(previous);
  await first.becomesActive();
  reader.with({ VAULT_TOKEN: token });
  const [, last] = others as [Node, Node];
  last.leaders = [];
  for (const node of others) {
    node.useEmptyFolder();
    await node.start();
    if (node === last)
      await reader
        .with({ VAULT_ADDR: last.address })
        .says("vault operator raft join <address of the active node>", { own: { "<address of the active node>": first.address } });
    await node.joins(previous);
  }
  expect((await reader.run("vault operator raft list-peers")).match(/ (leader|follower) /g)).toHaveLength(3);
  await stackOn(first, token).up(inputsFrom(previous, { triggers: ["2"] }));
});

/** The page shows each command for Vault. For OpenBao, `bao` replaces `vault`. */
const commandOf = (product: Product, command: string): string => {
  expect(readPage(page)).toContain(`\`${command}\``);
  return product === "vault" ? command : command.replace(/^vault /, "bao ");
};

test.each<Product>(["vault", "openbao"])("the root key of %s is repaired in recovery mode", async (product) => {
  const { program, dialect, rootKey } = products[product];
  const openBao = product === "openbao" ? await getOpenBao() : undefined;
  // OpenBao is not available on every platform.
  if (product === "openbao" && !openBao) return;
  const { token, keys, first, others } = await begin(3, product);
  if (openBao) reader.with({ BAO_ADDR: first.address, PATH: [dirname(openBao), process.env.PATH].join(delimiter) });
  reader.write("server.json", JSON.stringify(first.configuration));
  const raw = (method: string, query = "", body?: object): Promise<{ data: { value: string } }> =>
    call(first.address, method, `sys/raw/core/${rootKey}${query}`, { headers: { "X-Vault-Token": token }, body });
  const { value } = (await raw("GET", "?encoding=base64")).data;
  const stack = stackOn(first, token, dialect);
  const inputs = inputsFrom(keys, { secretShares: 5, secretThreshold: 3 });
  await stack.up(inputs);
  const fresh = stack.outputs.shares;
  // Only the copy of the root key for standbys was not written.
  await raw("PUT", "", { value, encoding: "base64" });
  await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(nodes.map((node) => node.start()));
  for (const node of nodes) await node.unseal(fresh);
  await until("a node seals itself", async () => (await Promise.all(nodes.map((node) => node.status()))).some(({ sealed }) => sealed));
  await Promise.all(nodes.map((node) => node.stop()));
  await first.start();
  await first.unseal(fresh);
  expect(await reader.run(commandOf(product, "vault status"))).toMatch(/^Raft Applied Index +\d+$/m);
  await first.stop();

  const recovery = commandOf(product, "vault server -recovery -config=<file>").replace("<file>", "server.json");
  await reader.run(`${recovery} > recovery.log 2>&1 & echo $! > pid`);
  try {
    await until("the server is in recovery mode", () =>
      fetch(first.address).then(
        () => true,
        () => false,
      ),
    );
    const begun = await reader.run(commandOf(product, "vault operator generate-root -init -recovery-token"));
    const [, nonce = "", otp = ""] = /^Nonce +(\S+)$[\s\S]*^OTP +(\S+)$/m.exec(begun.replaceAll("\r", "")) ?? [];
    const submit = commandOf(product, "vault operator generate-root -recovery-token -nonce=<nonce>").replace("<nonce>", nonce);
    let last = "";
    for (const share of fresh.slice(0, 3)) last = await reader.run(submit, { terminal: [["will be hidden", share]] });
    const encoded = /Encoded Token +([\w+/]+)/.exec(last)?.[1] ?? "";
    const decode = commandOf(product, "vault operator generate-root -recovery-token -decode=<encoded token> -otp=<otp>");
    const decoded = await reader.run(decode.replace("<encoded token>", encoded).replace("<otp>", otp));
    reader.with({ VAULT_TOKEN: decoded.trim(), BAO_TOKEN: decoded.trim() });
    const listed = await reader.run(commandOf(product, "vault list sys/raw/core"));
    expect(listed.split("\n")).toEqual(expect.arrayContaining(["keyring", rootKey]));
    await reader.says(`${program} delete sys/raw/core/${rootKey}`);
  } finally {
    await reader.run("kill $(cat pid); while kill -0 $(cat pid) 2> /dev/null; do sleep 0.1; done");
  }
  await first.start();
  await first.unseal(fresh);
  await first.becomesActive();
  await stack.up(inputs);
  await stack.up({ ...inputs, currentShares: fresh.slice(0, 3), triggers: ["2"] });
  for (const node of others) {
    node.useEmptyFolder();
    await node.start();
    await node.joins(stack.outputs.shares);
  }
});
