import { MutatedFile } from "./mutant";

const suites = [
  "test/provider/secrets/rekey/stories",
  "test/provider/secrets/rekey/(distrust|cancels)",
  "test/provider/secrets/rekey/rows",
  "test/provider/secrets/rekey/losses",
  "test/secrecy.test",
  "test/provider/secrets/rekey/(end|refusals)",
  "test/provider/secrets/rekey/renames",
  "test/end-to-end/stories/secrets/rekey.test",
];
const commandLine = ["test/end-to-end/secrets/rekey.test", "test/end-to-end/secrets/rekey-kills", "test/end-to-end/secrets/rekey-wait"];

export const rekey: readonly MutatedFile[] = [
  {
    file: "provider/secrets/rekey/observe.ts",
    suites,
    commandLine,
    mutants: [
      [
        "a delete cancels an attempt that another stack started",
        "if (nonces.includes(observed.status.nonce))",
        "if (observed.status.started)",
      ],
      ["an orphaned provider of an earlier run can still commit", "    await restartVerification(operation, status.nonce);\n", ""],
      [
        "onConflict: resume continues an attempt with other parameters",
        'onConflict === "resume" && server === "matchingInUse" && maySubmit',
        'onConflict === "resume" && maySubmit',
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/observe.ts",
    suites,
    commandLine,
    mutants: [
      [
        "an attempt with changed parameters counts as unchanged",
        'return !same ? "tampered" : status.verification',
        "return status.verification",
      ],
      [
        "shares are submitted for PGP keys of other holders",
        "  status.verificationRequired === verification &&\n  isDeepStrictEqual(status.pgpFingerprints, fingerprints);",
        "  status.verificationRequired === verification;",
      ],
      [
        "without verification a share is submitted to an attempt whose subkeys are unknown",
        '  if (!parameters.verification) return "foreign";\n',
        "",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/crypto.ts",
    suites,
    commandLine,
    mutants: [
      ["new shares for other holders are committed", "isDeepStrictEqual(order, fingerprints)", "order.length === fingerprints.length"],
      [
        "new shares for an old subkey of a holder are committed",
        "!ids.every((id) => encryptionKeys[at]?.includes(id))",
        "ids.length === 0",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/api.ts",
    suites: [...suites, "test/provider/secrets/gateway"],
    commandLine,
    mutants: [
      [
        "a share is sent although the engine has ended and cannot save the response",
        'if (method !== "GET") await operation.run.engine.assertAlive();',
        "",
      ],
      ["a share is retried", 'retry: method === "GET" ? "idempotent" : "never"', 'retry: "idempotent"'],
      [
        "a gateway's 404 counts as no backup, which the next share overwrites",
        "noBackup.includes(error.status ?? 0) && isFromService(error)",
        "noBackup.includes(error.status ?? 0)",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/crypto.ts",
    suites,
    commandLine,
    mutants: [
      [
        "the server's reason shows a share",
        "[...operation.secrets.values, ...sets.flatMap(({ shares }) => shares.flatMap(formsOf))]",
        "[...operation.secrets.values]",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/attempt.ts",
    suites,
    commandLine,
    mutants: [
      ["a rekey starts although Pulumi skips checkpoints", "assertSavesEachStep(operation);\n  await assertTarget", "await assertTarget"],
      ["a rekey of the wrong kind of keys starts", "await assertTarget(operation);", ""],
      ["the first recovery keys are started by the step that cannot keep them", 'server: ["noKeys"]', 'server: ["tampered"]'],
      ["the first recovery keys are made without verification, by the attempt", "assertMakesFirst(operation, attempt.parameters);", ""],
      ["an unfinished rekey continues for the old subkeys of a changed key", "nonce && hasSubkeys(attempt, parameters)", "nonce"],
    ],
  },
  {
    file: "provider/secrets/rekey/shares.ts",
    suites,
    commandLine,
    mutants: [
      [
        "a new rekey drops a set of shares that may be live",
        "[...(before?.candidate && !isEmpty(before.candidate) ? [before.candidate] : []), ...(before?.kept ?? [])]",
        "[...(before?.kept ?? [])]",
      ],
      ["kept sets of shares are stored in plaintext", "submission: { output: true, secretOutput: true }", "submission: { output: true }"],
      ["a delete drops shares that may be live", 'throw stopped("shares-unsettled", "the state holds shares that may be live");', ""],
    ],
  },
  {
    file: "provider/secrets/rekey/submit.ts",
    suites,
    commandLine,
    mutants: [
      ["an error shows the shares that were sent", "run.operation = redacting(run.operation, [batch, ...otherBatches]);", ""],
      ["the backup of another rekey is overwritten", "await protectBackup(run);", ""],
      ["a run cancels an attempt that another stack started", "if (submission.nonces.includes(status.nonce))", "if (status.started)"],
      ["the kept set that the server accepted is dropped", "used ? [used] : submission.kept.filter(mayBeAccepted)", "[]"],
      ["newShares from before the rekey count as its new shares", "[...submitted, ...progress.priorShares.map(digest)]", "submitted"],
      [
        "a backup of another attempt counts as the rekey's own",
        "if (backup?.nonce !== nonce) return undefined;",
        "if (!backup) return undefined;",
      ],
      ["a new rekey drops an encrypted set that may be live", "submission.kept.filter(mayBeAccepted)", "[]"],
      ["a new rekey keeps a set that the submitted shares disprove", "submission.kept.filter(mayBeAccepted)", "submission.kept"],
    ],
  },
  {
    file: "provider/secrets/rekey/api.ts",
    suites: ["test/provider/secrets/rekey/dialects"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      [
        "a service under the wrong dialect does not say which one it needs",
        "error.status !== notServed.status ||",
        "notServed.status > 0 ||",
      ],
      [
        "a response without an envelope is accepted from OpenBao",
        "(body as { data?: unknown } | undefined)?.data : body",
        "((body as { data?: unknown } | undefined)?.data ?? body) : body",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/submit.ts",
    suites: ["test/provider/secrets/rekey/dialects", "test/provider/secrets/rekey/round"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      ["shares that cannot be combined are counted forever", "status.required > 0 && status.progress >= status.required", "!status"],
    ],
  },
  {
    file: "provider/secrets/rekey/submit.ts",
    suites: ["test/provider/secrets/rekey/round", "test/provider/secrets/rekey/losses"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      [
        "shares are submitted to an attempt with the same nonce and other parameters",
        'if (server !== "collecting") throw attemptLost(run, observed);',
        'if (server !== "collecting" && server !== "tampered") throw attemptLost(run, observed);',
      ],
      [
        "a kept set is submitted together with other holders' shares, which are then refused",
        "status.progress > progress.counted || !useNextBatch(progress)",
        "!useNextBatch(progress)",
      ],
      [
        "a share without a response is submitted again to a service that may count it twice",
        "progress.isRetry || !refusesRepeatedShares",
        "progress.isRetry",
      ],
      [
        "shares that the service discarded are not submitted again",
        "  progress.isRestarted = progress.next > 0;\n  progress.next = 0;\n",
        "",
      ],
      ["a service that discards each share receives them forever", "  if (progress.isRestarted) return;\n", ""],
      ["a share uses up the retry of a later one", "  progress.next++;\n  progress.isRetry = false;", "  progress.next++;"],
    ],
  },
  {
    file: "provider/secrets/rekey/crypto.ts",
    suites: ["test/provider/secrets/rekey/proof"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      [
        "the proof accepts one wrong share",
        "if (misfits.length === 0) return { proven: true };",
        "if (misfits.length <= 1) return { proven: true };",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/verify.ts",
    suites,
    commandLine,
    mutants: [
      [
        "without PGP keys a threshold of shares counts as a proof",
        'inputs.proof ? inputs.proof === "all" : encrypted.length === 0',
        'inputs.proof === "all"',
      ],
      ["new shares are committed without a proof", "if (all) await proveLocally(run);", ""],
      [
        "a commit that the status does not confirm counts as complete",
        "if (status.nonce === candidate.nonce || status.required !== candidate.threshold)",
        "if (!status)",
      ],
      ["the backup of another rekey is removed", ": nonces.includes(backup.nonce))", ": true)"],
      [
        "an unknown outcome counts as open",
        'stateOf("unknown", run.state.live, run.state.gathered)',
        'stateOf("open", run.state.live, run.state.gathered)',
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/probe.ts",
    suites,
    commandLine,
    mutants: [
      [
        "former shares in newShares prove the new set",
        "if (isClaimed && isTestable) accepted =",
        "if (!isClaimed && !accepted) accepted =",
      ],
      [
        "new shares that are passed as current ones count as the previous set",
        "!currentKey.equals(newKey)",
        "currentKey.length === newKey.length",
      ],
      ["the current shares are not tested if others submitted some", "(currentKey && newKey && !currentKey.equals(newKey))", "false"],
    ],
  },
  {
    file: "provider/secrets/rekey/probe-attempt.ts",
    suites: ["test/command/drill"],
    commandLine: [],
    mutants: [
      [
        "a probe whose parameters changed gets a share",
        "before.required === required && matches(before, parameters)",
        "before.required > 0",
      ],
      ["a share of another client counts for a set", "if (set ? !isLast :", "if (set ? false :"],
      ["the 5xx of a gateway refuses the only share", "(required > 1 || isFromService(error))", "true"],
    ],
  },
  {
    file: "provider/secrets/rekey/commit.ts",
    suites,
    commandLine,
    mutants: [
      ["shares of an earlier set count as new shares", "!excluded.includes(shareDigest(candidate.nonce, share))", "share"],
      [
        "without verification a set from the backup counts as live without a proof",
        'return source === "reply" ? "live" : "unknown";',
        'return source ? "live" : "unknown";',
      ],
      ["a delete drops the only copy of live shares", "if (onlyCopy && !discardShares)", "if (!state && !discardShares)"],
      [
        "a backup of another rekey counts as a copy of the live shares",
        "!(hadBackup && (await getBackup(operation))?.nonce === live.nonce)",
        "!(hadBackup && (await getBackup(operation)))",
      ],
      [
        "new shares of earlier runs are dropped",
        "return { gathered: [...before, ...added], missing };",
        "return { gathered: added, missing };",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/attempt.ts",
    suites: ["test/provider/lifecycle/check", "test/provider/secrets/rekey/(refusals|pgp|stories|end)"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      ["shares are sent over plain HTTP", "allowHttp || isPrivate(operation.server)", "allowHttp || operation"],
      [
        "a change of triggers starts no rekey",
        "isDeepStrictEqual([parameters.fingerprints, triggers], [desired.fingerprints, inputs.triggers ?? []])",
        "isDeepStrictEqual(parameters.fingerprints, desired.fingerprints)",
      ],
      [
        "a rekey runs although the triggers were changed back after a lost start",
        "if (before && isFor(before, parameters, inputs)) return",
        "if (before && !last.outcomeUnknown && isFor(before, parameters, inputs)) return",
      ],
      ["an expired key blocks the rekey that used it", "({ ...failure, warning: true })", "failure"],
    ],
  },
  {
    file: "provider/secrets/rekey/inputs.ts",
    suites: ["test/provider/secrets/rekey/(refusals|pgp|stories|end)"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [["changed triggers require no consent to keep shares", '"pgpKeys", "triggers"] as const', '"pgpKeys"] as const']],
  },
  {
    file: "provider/secrets/rekey/verify.ts",
    suites: ["test/provider/secrets/rekey/cancels"],
    commandLine,
    mutants: [
      ["a finished rekey cancels an attempt of another client", 'if (observed.server === "abandoned")', "if (observed.status.started)"],
    ],
  },
  {
    file: "command/shares.ts",
    suites: ["test/command/rekey-faults"],
    commandLine: [],
    mutants: [
      ["a holder can commit while another cancels", "      await restartVerification(operation, nonce);\n", ""],
      [
        "a cancel without a response is reported as done",
        "if (await cancelAttempt(operation, nonce)) return;",
        "await cancelAttempt(operation, nonce);\n    return;",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/crypto.ts",
    suites: ["test/provider/secrets/rekey/(pgp|refusals)"],
    commandLine: ["test/command/decrypt"],
    mutants: [["a share is encrypted to a revoked key", "if (await key.isRevoked()) return", "if (!key) return"]],
  },
  {
    file: "provider/secrets/rekey/attempt.ts",
    suites: ["test/provider/secrets/rekey/first-keys.test"],
    commandLine: [],
    mutants: [
      [
        "a new rekey cancels the first recovery keys of another client",
        'holds: ["an attempt"],\n    server: ["matchingInUse", "matchingFirst"',
        'holds: ["nothing", "an attempt"],\n    server: ["matchingInUse", "matchingFirst"',
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/commit.ts",
    suites: ["test/provider/secrets/rekey/renames.test", "test/end-to-end/stories/secrets/rekey-rename.test"],
    commandLine: [],
    mutants: [
      [
        "a rekey keeps dead shares after a rename back",
        'if (isSucceeded(operation, state)) return recordOutcome(operation, candidate.nonce, "live");',
        "",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/attempt.ts",
    suites: ["test/provider/secrets/rekey/refusals.test"],
    commandLine: [],
    mutants: [["a changed target cancels the attempt of the other keys", "target === last\n", "target\n"]],
  },
  {
    file: "provider/secrets/rekey/submit.ts",
    suites: ["test/provider/secrets/rekey/first-keys.test"],
    commandLine: [],
    mutants: [
      [
        "a rekey does not own the attempt that its start began for keys of another client",
        "submission.nonces = withNonce(submission.nonces, started);",
        "",
      ],
      [
        "first recovery keys for other holders leave their attempt in progress",
        "    await cancelOwnAttempt(operation, status);\n    throw unfinished(run, flaw.id,",
        "    throw unfinished(run, flaw.id,",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/api.ts",
    suites: ["test/provider/secrets/rekey/first-keys.test"],
    commandLine: [],
    mutants: [
      [
        "a status without the number of required shares counts as a server without keys",
        'if (required === undefined && operation.target === "recovery") throw unexpectedBody(response);',
        "",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/commit.ts",
    suites: ["test/provider/secrets/rekey/first-keys.test"],
    commandLine: [],
    mutants: [
      [
        "another server without recovery keys makes live shares count as dead",
        'if (source === "backup" || excluded.length > 0) throw unexpectedState(observed, "a candidate");',
        "",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/observe.ts",
    suites: ["test/provider/secrets/rekey/refusals.test"],
    commandLine: [],
    mutants: [["the first recovery keys are requested from a path that returns none", "if (!returnsFirstKeys(operation))", "if (false)"]],
  },
  {
    file: "provider/secrets/rekey/crypto.ts",
    suites: ["test/provider/secrets/rekey/pgp.test"],
    commandLine: [],
    mutants: [
      [
        "a share is also encrypted to a recipient that the message does not name",
        "return ids.every((id) => /[^0]/.test(id)) ? ids : [];",
        "return ids.filter((id) => /[^0]/.test(id));",
      ],
      ["only the first of several subkeys may decrypt a share", "encryptionKeys[at]?.includes(id)", "encryptionKeys[at]?.[0] === id"],
    ],
  },
  {
    file: "provider/secrets/rekey/probe-attempt.ts",
    suites: ["test/provider/secrets/rekey/cancels.test", "test/command/drill.test"],
    commandLine: [],
    mutants: [
      [
        "the end of a probe cancels the attempt that replaced it",
        "if ((await getStatus(operation)).nonce === nonce) await cancelAttempt",
        "await cancelAttempt",
      ],
    ],
  },
];
