// Rekeys the unseal keys with several holders, each of whom types only their own share. Until the commit, the state also holds the decrypted new
// shares so far. All holders run this program on the same stack, one after the other. Each run but the last exits with 1, and the next one
// continues where it stopped. Holders without Pulumi submit their current share with
// `npx --no pulumi-steward rekey submit`. docs/api/secrets/rekey.md lists the policies of the tokens that OpenBao requires, and Vault 2.x according to its documentation.
//
//   pulumi preview                                         # shows the PGP keys of the new shares, which I compare with those that we agreed on
//   read -rs SHARE && SHARE=$SHARE pulumi up; unset SHARE  # submits my current share, until the threshold is reached
//   # the run with the last of these shares shows the new shares, each encrypted to the key of its holder
//   xxd -r -p <<< <mine> | gpg --decrypt                   # my new share; or `npx --no pulumi-steward rekey decrypt --key <my private key>`
//   read -rs NEW_SHARE && NEW_SHARE=$NEW_SHARE pulumi up; unset NEW_SHARE    # saves it; at the threshold, verifies and commits
import { readdirSync, readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-steward";

const config = new pulumi.Config();

// The public key of each holder: `gpg --armor --export <fingerprint> > keys/<name>.asc`. A change of these files starts a new rekey.
const files = readdirSync(`${__dirname}/keys`).filter((file) => file.endsWith(".asc"));
const pgpKeys = files.sort().map((file) => readFileSync(`${__dirname}/keys/${file}`, "utf8"));

if (pgpKeys.length === 0) throw new pulumi.RunError("Add the public key of each holder to keys/, as <name>.asc.");

const rekey = new secrets.Rekey("unseal", {
  secretShares: pgpKeys.length,
  secretThreshold: 2,
  pgpKeys,
  // The server also stores the encrypted new shares, so that a lost response loses none of them.
  backup: true,
  // References to the environment of `pulumi up`. The state never contains a current share. It contains the new ones, encrypted, until the commit.
  currentShares: [{ env: "SHARE" }],
  newShares: [{ env: "NEW_SHARE" }],
  // A different value starts a new rekey: `pulumi config set round second`.
  triggers: [config.get("round") || "first"],
});

export const encryptedShares = rekey.encryptedShares;
export const complete = rekey.complete;
