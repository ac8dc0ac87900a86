import { Rule } from "../../../contract/definition";
import { isPrivate } from "../../../contract/operation";
import { dialectOf } from "../../client";
import { decisive, isNew } from "../inputs";
import { noRecoveryKeys } from "../protocol/api";
import { inspectKeys } from "../protocol/crypto";
import { keysOf } from "../protocol/stops";
import { AttemptInputs } from "./state";

/** Rejects inputs that the server would reject, or that could lose the keys. */
export const rekeyRules: readonly Rule<AttemptInputs>[] = [
  {
    fields: ["target"],
    check: ({ target = "unseal" }, operation, { target: last = target }) => {
      if (!dialectOf(operation).rekey[target]) return [{ path: "target", rule: "dialect", reason: noRecoveryKeys }];
      // A replacement would cancel the attempt of the other keys first, before anything shows if the server has the new ones.
      const reason = `cannot change from "${last}": declare a rekey of the other keys under a different name`;
      return target === last ? [] : [{ path: "target", rule: "changed", reason }];
    },
  },
  {
    fields: ["secretShares", "secretThreshold"],
    check: ({ secretShares, secretThreshold }, operation) => {
      if (secretThreshold > secretShares)
        return [{ path: "secretThreshold", rule: "more-than-shares", reason: `must be at most secretShares, ${secretShares}` }];
      if (secretThreshold === 1 && secretShares > 1 && dialectOf(operation).thresholdOfOneIsForOneShare)
        return [{ path: "secretThreshold", rule: "single-share", reason: "must be at least 2 for more than one share" }];
      return [];
    },
  },
  {
    fields: [...decisive],
    check: async (inputs, _connection, last) => {
      const { pgpKeys, secretShares } = inputs;
      if (!pgpKeys) return [];
      const reason = `must contain one key for each of the ${secretShares} shares, but contains ${pgpKeys.length}`;
      const inspected = await inspectKeys(pgpKeys);
      const failures = inspected.flatMap(({ problem }, index) => (problem ? [{ path: `pgpKeys[${index}]`, ...problem }] : []));
      return [
        ...(pgpKeys.length === secretShares ? [] : [{ path: "pgpKeys", rule: "count", reason }]),
        // The shares are already encrypted to a key that expires later.
        ...(isNew(inputs, last) ? failures : failures.map((failure) => ({ ...failure, warning: true }))),
      ];
    },
  },
  {
    fields: [...decisive, "target", "keepSharesInState"],
    check: (inputs, { server: { words } }, last) => {
      if (inputs.pgpKeys || inputs.keepSharesInState || !isNew(inputs, last)) return [];
      const reason = `must be true without pgpKeys, because anyone who can decrypt the state can then ${keysOf[inputs.target ?? "unseal"].can(words)}; or set pgpKeys, one for each holder`;
      return [{ path: "keepSharesInState", rule: "clear-text", reason }];
    },
  },
  {
    fields: ["confirm", "pgpKeys"],
    check: ({ confirm, pgpKeys }) => {
      const reason = "requires pgpKeys: without them, all new shares are proven before the commit";
      return confirm === "all" && !pgpKeys ? [{ path: "confirm", rule: "needs-pgp-keys", reason }] : [];
    },
  },
  {
    fields: ["backup", "pgpKeys", "removeBackup"],
    check: ({ backup, pgpKeys, removeBackup }) => [
      ...(backup && !pgpKeys
        ? [{ path: "backup", rule: "needs-pgp-keys", reason: "requires pgpKeys: only encrypted shares are backed up" }]
        : []),
      ...(removeBackup && !backup ? [{ path: "removeBackup", rule: "needs-backup", reason: "requires backup: true" }] : []),
    ],
  },
  {
    fields: ["target", "requireVerification", "allowUnverified", "backup", "pgpKeys"],
    check: ({ target = "unseal", requireVerification = true, allowUnverified, backup, pgpKeys }, { server: { words } }) => {
      if (requireVerification || (backup && pgpKeys)) return [];
      const cost = `the last current share commits, and if its response is lost, so are the new keys: nobody can ${keysOf[target].can(words)} again`;
      const remedy = allowUnverified ? "" : ". Set pgpKeys and backup, or allowUnverified: true";
      const reason = `without verification ${cost}${remedy}`;
      return [{ path: "requireVerification", rule: "unverified", reason, ...(allowUnverified ? { warning: true } : {}) }];
    },
  },
  { fields: ["shareFindings"], check: ({ shareFindings }) => shareFindings },
  {
    fields: ["allowHttp"],
    check: ({ allowHttp }, operation) => {
      const reason = `shares would be sent to ${operation.server.address} in plaintext: use https, or set allowHttp to true`;
      return allowHttp || isPrivate(operation.server) ? [] : [{ path: "", rule: "clear-text", reason }];
    },
  },
];
