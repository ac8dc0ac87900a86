// Rekeys the unseal keys with several holders. All run this program on the same stack, one after the other, each with only their own share, which goes
// straight to the server: Pulumi stores none. A run that waits for the next holder succeeds with a warning, and `complete` is false.
// docs/rekey/several-holders.md explains the steps, and docs/api/secrets/rekey.md lists the policies of the tokens.
//
//   pulumi preview                                           # shows the PGP keys of the new shares, which I compare with those that we agreed on
//   read -rs SHARE; SHARE="$SHARE" pulumi up; unset SHARE    # submits my current share, until the threshold is reached
//   pulumi stack output encryptedShares                      # the new shares, each encrypted to the key of its holder
//   npx --no pulumi-steward rekey decrypt                    # my new share, with gpg; or with `--key <my private key>`
//   read -rs NEW_SHARE; NEW_SHARE="$NEW_SHARE" pulumi up; unset NEW_SHARE    # verifies my new share; the last one of the threshold commits
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
  // References to the environment of `pulumi up`, which only the provider reads.
  currentShares: [{ env: "SHARE" }],
  newShares: [{ env: "NEW_SHARE" }],
  // A different value starts a new rekey: `pulumi config set round second`.
  triggers: [config.get("round") || "first"],
});

export const complete = rekey.complete;
export const progress = rekey.progress;
/** They exist before the commit, and are valid once `complete` is true. */
export const encryptedShares = rekey.encryptedShares;
