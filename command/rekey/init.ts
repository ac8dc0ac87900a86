import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StewardError } from "../../provider/contract/errors";
import { foreignBackup } from "../../provider/secrets/rekey/attempt/start";
import { assertTarget, getBackup, getStatus, isReplyLost, startAttempt } from "../../provider/secrets/rekey/protocol/api";
import { describeKey, InspectedKey, inspectKeys, requestedKeys } from "../../provider/secrets/rekey/protocol/crypto";
import { commandFor } from "../../provider/secrets/rekey/protocol/operation";
import { matches } from "../../provider/secrets/rekey/protocol/server-state";
import { keysOf, stopped } from "../../provider/secrets/rekey/protocol/stops";
import { textOf } from "../holder/file";
import { say, Terminal } from "../terminal";
import { describe, service, TargetOptions } from "./attempt";
import { failed } from "./outcome";

export interface InitOptions extends TargetOptions {
  threshold: string;
  shares?: string;
  keys?: string;
}

/** Starts a rekey with verification. With the holders' keys, the server encrypts a share to each, and keeps a backup. */
export async function init(terminal: Terminal, options: InitOptions): Promise<void> {
  const operation = await service(terminal, options);
  const keys = options.keys === undefined ? [] : await readKeys(options.keys);
  const [shares, threshold] = [options.keys === undefined ? Number(options.shares) : keys.length, Number(options.threshold)];
  if (!(Number.isInteger(shares) && Number.isInteger(threshold) && threshold >= 2 && threshold <= shares && shares <= 255))
    throw invalid([`--threshold ${options.threshold} is not a number from 2 to the number of shares, ${shares}`]);
  await assertTarget(operation);
  const before = await getStatus(operation);
  if (before.started) {
    for (const line of describe(before, operation)) say(terminal, line);
    throw stopped(
      "foreign-attempt",
      `a rekey of the ${keysOf[operation.target].name} is in progress`,
      `Nothing was changed. Wait until it ends or, if you know whose it is, run \`${commandFor(operation, "cancel")}\`.`,
    );
  }
  if (before.required === 0) throw invalid([`${operation.server.words.service} has no ${keysOf[operation.target].name} yet`]);
  const backup = keys.length > 0 ? await getBackup(operation) : undefined;
  if (backup) throw foreignBackup(operation, backup, "");
  const parameters = {
    shares,
    threshold,
    ...requestedKeys(keys),
    backup: keys.length > 0,
    verification: true,
  };
  await startAttempt(operation, parameters).catch((error) => {
    // The status shows whether it started.
    if (!isReplyLost(error)) throw error;
  });
  const status = await getStatus(operation);
  if (!status.started) throw failed("the rekey did not start", "Run this again.");
  for (const line of describe(status, operation)) say(terminal, line);
  for (const key of keys) say(terminal, `${key.file}: ${describeKey(key)}`);
  if (!matches(status, parameters))
    throw stopped("tampered-attempt", "the server shows other parameters than requested", "Find out who started it before you cancel it.");
  say(terminal, `The rekey is started, and nothing has changed yet. Each holder runs \`${commandFor(operation, "submit")}\`.`);
}

/** The public keys in a folder, one file for each holder, in the order of their names. */
export async function readKeys(folder: string): Promise<({ file: string } & InspectedKey)[]> {
  let files: string[];
  let texts: string[];
  try {
    files = readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
    texts = files.map((file) => textOf(readFileSync(join(folder, file)), "base64"));
  } catch (error) {
    throw invalid([`--keys ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  const nameOf = (index: number): string => files[index] as string;
  const keys = (await inspectKeys(texts, nameOf)).map((key, index) => ({ ...key, file: nameOf(index) }));
  const problems = keys.flatMap(({ file, problem }) => (problem ? `${file} ${problem.reason}` : []));
  if (problems.length > 0) throw invalid(problems);
  return keys;
}

export const invalid = (problems: readonly string[]): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", reason: problems.join("; "), hint: "Nothing was sent." });
