// New unseal keys for several holders, none of whom ever sees the share of another. All run this program on one stack, one after the other, each
// with a share of their own; every run goes on where the last one stopped. Holders without Pulumi give their current share with
// `npx pulumi-steward rekey submit`.
//
//   pulumi preview                                         # shows the keys that the new shares will be encrypted to: is mine among them?
//   read -rs SHARE && export SHARE && pulumi up            # my current share, until a threshold of holders has submitted theirs
//   # the run that gives the last of these shows the new shares, each encrypted to the key of its holder
//   xxd -r -p <<< <mine> | gpg --decrypt                   # my new share, to be kept; or `npx pulumi-steward rekey decrypt --key <my private key>`
//   read -rs NEW_SHARE && export NEW_SHARE && pulumi up    # my new share, until a threshold is proven: then, and only then, it is live
import { readdirSync, readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-steward";

const config = new pulumi.Config();

// The public key of each holder: `gpg --armor --export <me> > keys/<me>.asc`. Another file, or another key in one, runs another rekey.
const files = readdirSync(`${__dirname}/keys`).filter((file) => file.endsWith(".asc"));
const pgpKeys = files.sort().map((file) => readFileSync(`${__dirname}/keys/${file}`, "utf8"));

if (pgpKeys.length === 0) throw new pulumi.RunError("Put the public key of each holder into keys/, as <name>.asc.");

const rekey = new secrets.Rekey("unseal", {
  secretShares: pgpKeys.length,
  secretThreshold: 2,
  pgpKeys,
  // The service keeps the encrypted new shares as well, so that a lost reply costs nothing.
  backup: true,
  // By reference: read from the environment of whoever runs `pulumi up`. The state never holds a current share, and a new one, encrypted, until the commit.
  currentShares: [{ env: "SHARE" }],
  newShares: [{ env: "NEW_SHARE" }],
  // Another word runs another rekey: `pulumi config set round second`.
  triggers: [config.get("round") || "first"],
});

export const encryptedShares = rekey.encryptedShares;
export const complete = rekey.complete;
