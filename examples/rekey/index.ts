// Rekeys the unseal keys with one operator, to seven shares with a threshold of four. The state then contains all new shares. With several holders,
// use ../rekey-holders, which encrypts each share to its holder.
//
//   read -rs SHARE_1 && export SHARE_1    # and so on, until the current threshold
//   pulumi config set round first         # a different value starts a new rekey
//   pulumi up
//   pulumi stack output shares --show-secrets
//   unset SHARE_1                         # and so on
import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-steward";

const config = new pulumi.Config();

const rekey = new secrets.Rekey("unseal", {
  secretShares: 7,
  secretThreshold: 4,
  // References, which are read on demand. The state never contains these shares. An unset variable is skipped.
  currentShares: ["SHARE_1", "SHARE_2", "SHARE_3", "SHARE_4"].map((env) => ({ env })),
  // Everyone who can decrypt the state can unseal the server.
  keepSharesInState: true,
  triggers: [config.require("round")],
});

// A secret output. Only the state contains these shares until you store them elsewhere.
export const shares = rekey.shares;
