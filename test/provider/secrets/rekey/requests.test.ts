import { blocks, pageOf, readPage } from "../../../support/pages";
import { onEachRekeyTarget, RekeyStack, RekeyTarget, stackOn } from "../../../support/rekey";
import { wireOf } from "../../../support/rekey-wire";
import { tools } from "./story";

const page = pageOf("secrets.Rekey");
const [, section = ""] = readPage(page).split("\n## Requests\n");
/** The requests on the page, as the API document names them. */
const documented = [
  ...section
    .split("\n## ", 1)
    .join("")
    .matchAll(/`([A-Z]+ \/v1\/[^`]+)`/g),
].map(([, request = ""]) => request);

const [ofVault = "", , ofOpenBao = ""] = blocks(page, "hcl");

/** A rekey with a token that has only the policy on the page, which has none for the standard dialect. */
async function permitted(target: RekeyTarget): Promise<RekeyStack> {
  const { dialect, keys, outOfBand, config } = target;
  if (dialect === "standard") return stackOn(target);
  const policy = (dialect === "openbao" ? ofOpenBao.replaceAll("sys/rotate/root", "sys/rekey") : ofVault).replaceAll(
    /sys\/rekey\/\w+/g,
    (path) => wireOf(dialect, keys).sent("GET", path)[1],
  );
  expect((await outOfBand("PUT", "sys/policies/acl/rekey", { policy })).status).toBe(204);
  const { body } = await outOfBand("POST", "auth/token/create", { policies: ["rekey"], no_default_policy: true, ttl: "1h" });
  const { client_token: token } = body.auth as { client_token: string };
  const { secrets } = config["steward:default"] as { secrets: object };
  return new RekeyStack({ "steward:default": { secrets: { ...secrets, token } } }, undefined, keys);
}

onEachRekeyTarget("the page of the rekey", (current) => {
  const { forHolders, decrypted, candidateOf } = tools(current);

  test("names the permissions and the requests of a rekey, of its refresh and of its deletion, and no other", async () => {
    const { gateway } = current();
    const { all, pgp } = await forHolders(3, { backup: true });
    const abandoned = await permitted(current());
    await abandoned.up(pgp, "attempt");
    await abandoned.destroy();
    const stack = await permitted(current());
    await stack.fails(pgp);
    const newShares = await decrypted(candidateOf(stack), all);
    await stack.up({ ...pgp, newShares, removeBackup: true, discardShares: true });
    await stack.refresh();
    await stack.destroy();
    const sent = gateway.requests.map(({ method, path }) => `${method} ${path}`);
    const { dialect, namespace } = current();
    const unsent = [
      ...(dialect === "openbao" ? [] : ["/sys/health"]),
      ...(dialect === "standard" || namespace ? ["/sys/seal-status"] : []),
    ];
    const expected = documented.filter((each) => !unsent.some((path) => each.endsWith(path)));
    expect([...new Set(sent)].sort()).toEqual([...new Set(expected)].sort());
  });
});
