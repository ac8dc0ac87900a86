import { pageOf, readPage } from "../../../support/pages";
import { readAll } from "../../../support/pgp";
import { onEachRekeyTarget, stackOn } from "../../../support/rekey";
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

onEachRekeyTarget("the page of the rekey", (current) => {
  const { forHolders } = tools(current);

  test("names the requests of a rekey, of its refresh and of its deletion, and no other", async () => {
    const { gateway } = current();
    const { all, pgp } = await forHolders(3, { backup: true });
    const abandoned = stackOn(current());
    await abandoned.up(pgp, "attempt");
    await abandoned.destroy();
    const stack = stackOn(current());
    await stack.fails(pgp);
    const newShares = await readAll(all, stack.candidate.encrypted);
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
