import { isDeepStrictEqual } from "node:util";
import { RekeyInputs, RekeyRecordEntry } from "../../../provider/secrets";
import { hashOf } from "../../../provider/secrets/rekey/protocol/record";
import { Passing } from "../../support/gateway";
import { base64, Holder, holders, readAll } from "../../support/pgp";
import { RekeyTarget } from "../../support/rekey";
import { rekeyRows } from "../../support/rekey-rows";
import { RekeyRunner, Saved, SavedSet } from "./runners";

// A rekey under faults: kills, lost responses and seals. It runs until it is complete. After every run, the story checks which shares
// are valid.

/**
 * The faults. A kill is SIGKILL for the command line, the provider's process or both. A late request reaches the server only during the next run.
 * A reply is a lost response, for which a standby redirects. A seal loses the attempt, as a failover does.
 */
export const faults = ["command line", "provider", "both", "late request", "reply", "standby", "seal"] as const;
export type Fault = (typeof faults)[number];

/** The request of a run at which the fault occurs, before the server receives it or after it was applied. */
export interface Strike {
  at: (passing: Passing) => boolean;
  when: "before" | "after";
  fault: Fault;
}

export interface Plan {
  shares: number;
  threshold: number;
  pgp: boolean;
  backup: boolean;
  /** Requires verification. Otherwise the last current share commits. */
  verification: boolean;
  /** One person has all shares, or each holder brings one share in a run of their own. */
  holders: "one" | "each";
  /** One fault for each run, or none. */
  strikes: (Strike | undefined)[];
  /** The number of rekeys in a row. */
  rounds: 1 | 2;
}

export interface Struck {
  fault: Fault;
  when: "before" | "after";
  /** The last row of the table that the run logged. */
  row: string;
  /** The valid shares afterwards. */
  opens: "previous" | "new";
}

export interface Report {
  struck: Struck[];
  /** Every row of the table that was logged. */
  rows: Set<string>;
  runs: number;
}

const rows = rekeyRows.map(({ step, log, line }) => ({ line, name: `${step}: ${log}` }));
const mostRuns = 30;

/** Runs one story to completion. Throws if it does not complete, or if at any time no known shares are valid. */
export async function tell(target: RekeyTarget, runner: RekeyRunner, plan: Plan): Promise<Report> {
  const report: Report = { struck: [], rows: new Set(), runs: 0 };
  const story = new Story(target, runner, { ...plan, strikes: [...plan.strikes] }, plan.pgp ? await holders(plan.shares) : [], report);
  try {
    let previous = target.first;
    for (let round = 1; round <= plan.rounds; round++) previous = await story.rekey(previous, round);
  } finally {
    await runner.end();
  }
  return report;
}

class Story {
  private triggers = 0;
  private onConflict: RekeyInputs["onConflict"] = "fail";
  private believed: string[] | undefined;
  /** The new shares that were not accepted: their holders then bring the current ones. */
  private notAccepted: string | undefined;
  private readonly said: string[] = [];
  private recorded: readonly RekeyRecordEntry[] = [];

  constructor(
    private readonly target: RekeyTarget,
    private readonly runner: RekeyRunner,
    private readonly plan: Plan,
    private readonly keys: Holder[],
    private readonly report: Report,
  ) {}

  /** Runs the rekey until it is complete. Returns the shares that are valid then. */
  async rekey(previous: string[], round: number): Promise<string[]> {
    for (let run = 0; run < mostRuns; run++) {
      const { pgp } = this.plan;
      const { candidate } = pgp ? await this.runner.saved() : {};
      const isBrought = candidate && candidate.encrypted.length > 0 && candidate.nonce !== this.notAccepted;
      const brought = isBrought ? await this.plain(candidate) : [];
      const variables = { ...this.atHand("SHARE", this.believed ?? previous, run), ...this.atHand("NEW", brought, run) };
      const before = this.report.struck.length;
      this.arm(this.plan.strikes.shift(), previous);
      const { code, output } = await this.runner.up(this.inputs(round), variables);
      this.target.gateway.interrupt = undefined;
      this.report.runs++;
      this.said.push(`--- up (${code})\n${output}`);
      for (const { line, name } of rows) if (output.includes(line)) this.report.rows.add(name);
      const opening = await this.opening(previous);
      for (const struck of this.report.struck.slice(before)) struck.opens = opening === previous ? "previous" : "new";
      const saved = await this.runner.saved();
      this.assertRecord(saved);
      if (code === 0 && saved.complete) return this.assertLive(previous, saved, round);
      // An operator who reads this message starts again. With holders, the rekey continues without a change.
      if (!pgp && /\[rekey\/(not-committed|previous-shares-missing|no-set-accepted)\]/.test(output)) this.triggers++;
      if (/\[rekey\/not-accepted\]/.test(output)) this.notAccepted = candidate?.nonce;
      // After a refusal, the message names a set that may be the valid one. Its holders provide their shares, and then the others again.
      const named = /rekey (\S+) are the valid /.exec(output)?.[1];
      const asked = named && saved.sets.find(({ nonce }) => nonce === named);
      if (asked) this.believed = this.believed ? undefined : await this.plain(asked);
      this.onConflict = /\[rekey\/foreign-attempt\]/.test(output) ? "cancel" : "fail";
    }
    throw this.failure(`not done after ${mostRuns} runs`);
  }

  private failure = (text: string): Error => new Error(`${text}:\n${JSON.stringify(this.report.struck)}\n${this.said.join("\n")}`);

  private inputs(round: number): RekeyInputs {
    const { shares, threshold, pgp, backup, verification } = this.plan;
    const sources = (name: string, count: number): { env: string }[] =>
      Array.from({ length: count }, (_, index) => ({ env: `STEWARD_${name}_${index}` }));
    return {
      secretShares: shares,
      secretThreshold: threshold,
      currentShares: sources("SHARE", 5),
      ...(pgp ? { pgpKeys: this.keys.map(({ publicKey }) => publicKey), newShares: sources("NEW", shares) } : { keepSharesInState: true }),
      ...(backup ? { backup } : {}),
      ...(verification ? {} : { requireVerification: false, allowUnverified: !backup }),
      triggers: [`${round}.${this.triggers}`],
      onConflict: this.onConflict,
    };
  }

  /** All shares of a single operator, or the share of the next holder. */
  private atHand(name: string, shares: readonly string[], run: number): Record<string, string> {
    const mine = (index: number): boolean => this.plan.holders === "one" || index === run % shares.length;
    return Object.fromEntries(shares.slice(0, 5).flatMap((share, index) => (mine(index) ? [[`STEWARD_${name}_${index}`, share]] : [])));
  }

  /** Triggers the fault when its request passes. */
  private arm(strike: Strike | undefined, previous: string[]): void {
    const { gateway } = this.target;
    const first = gateway.requests.length;
    let armed = strike;
    gateway.interrupt = (request) => {
      const passing = { ...request, count: request.count - first };
      // A request of a killed process arrives in the middle of the next run.
      if (passing.count === 4) void gateway.deliver?.();
      if (!armed?.at(passing)) return undefined;
      const { fault, when } = armed;
      armed = undefined;
      const told = this.runner.told();
      const row = rows.filter(({ line }) => told.includes(line)).sort((a, b) => told.lastIndexOf(b.line) - told.lastIndexOf(a.line))[0];
      this.report.struck.push({ fault, when, row: row?.name ?? "(before the first)", opens: "previous" });
      return { when, late: fault === "late request", redirects: fault === "standby", act: () => this.fall(fault, previous) };
    };
  }

  private async fall(fault: Fault, previous: string[]): Promise<void> {
    if (fault === "reply" || fault === "standby") return;
    if (fault === "seal") return this.target.sealAndUnseal(await this.opening(previous));
    await this.runner.kill(fault === "late request" ? "both" : fault);
  }

  private async plain({ shares, encrypted }: SavedSet): Promise<string[]> {
    return encrypted.length === 0 ? shares : (await readAll(this.keys, encrypted)).map(base64);
  }

  /** Returns the valid set: the previous one or a saved one. Throws if none does. */
  private async opening(previous: string[]): Promise<string[]> {
    if (previous.length === 0 ? await this.hasNoKeys() : await this.target.opens(previous)) return previous;
    const { sets } = await this.runner.saved();
    for (const set of [...sets, ...(await this.backup())]) {
      const shares = await this.plain(set);
      if (await this.target.opens(shares.slice(0, set.threshold))) return shares;
    }
    throw this.failure("NEITHER the previous shares NOR any in the state are valid");
  }

  /** True while a service has no recovery keys yet. */
  private async hasNoKeys(): Promise<boolean> {
    return (await this.target.outOfBand("GET", "sys/rekey/init")).body.required === 0;
  }

  /** The encrypted shares that the service keeps count like those in the state. */
  private async backup(): Promise<SavedSet[]> {
    if (!this.plan.backup) return [];
    const { status, body } = await this.target.outOfBand("GET", "sys/rekey/backup");
    if (status !== 200) return [];
    const { keys } = ((body.data as object | undefined) ?? body) as { keys: Record<string, string | string[]> };
    const encrypted = Object.entries(keys).flatMap(([fingerprint, shares]) => [shares].flat().map((share) => ({ fingerprint, share })));
    return [{ nonce: "", threshold: this.plan.threshold, shares: [], encrypted }];
  }

  /** A record only grows, in a chain. */
  private assertRecord({ record }: Saved): void {
    const isPrefix = isDeepStrictEqual(record.slice(0, this.recorded.length), this.recorded);
    const isChain = record.every(({ previous }, index) => previous === (index === 0 ? "" : hashOf(record[index - 1] as RekeyRecordEntry)));
    if (!isPrefix || !isChain) throw this.failure(`the record has changed: ${JSON.stringify([this.recorded, record])}`);
    this.recorded = record;
  }

  private async assertLive(previous: string[], { live, complete, record }: Saved, round: number): Promise<string[]> {
    const shares = live ? await this.plain(live) : [];
    const isLive = complete && shares.length === this.plan.shares && (await this.target.opens(shares.slice(0, this.plan.threshold)));
    if (!isLive) throw this.failure("said to be valid, and is not");
    if (previous.length > 0 && (await this.target.opens(previous))) throw this.failure("the previous shares are still valid");
    const { body } = await this.target.outOfBand("GET", "sys/rekey/init");
    if (body.started) throw this.failure("an attempt is left on the server");
    const commits = record.filter(({ event }) => event === "committed").length;
    if (commits < round || !record.some(({ nonce }) => nonce === live?.nonce))
      throw this.failure(`the record does not show the commit: ${JSON.stringify(record)}`);
    return shares;
  }
}
