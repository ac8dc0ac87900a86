// New unseal keys by one operator: seven shares, of which four open the service, in the place of those that open it now. The state then holds all of
// them: with several holders, take ../rekey-holders, where each share is encrypted to its holder.
//
//   read -rs SHARE_1 && export SHARE_1    # and so on: as many of the current shares as open the service
//   pulumi up
//   pulumi stack output shares --show-secrets
import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-steward";

const config = new pulumi.Config();

const rekey = new secrets.Rekey("unseal", {
  secretShares: 7,
  secretThreshold: 4,
  // By reference: they are read when they are needed, and the state never holds them. A variable that is not set is a share that is not at hand.
  currentShares: ["SHARE_1", "SHARE_2", "SHARE_3", "SHARE_4"].map((env) => ({ env })),
  // Whoever can decrypt the state can unseal the service.
  keepSharesInState: true,
  // Another word runs another rekey: `pulumi config set round second`.
  triggers: [config.get("round") || "first"],
});

// A secret, and the only copy: give the shares to their holders.
export const shares = rekey.shares;
