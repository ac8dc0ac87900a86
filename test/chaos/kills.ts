import { startGateway } from "../support/gateway";
import { platform } from "../support/platform";
import { Target, targets } from "../support/target";
import { Killable, Victim } from "./killable";
import { canaries, Drawing, Model } from "./programs";
import { randomly } from "./random";

// `npm run chaos -- kills`: SIGKILL at a random request, or at a random moment, of an `up` that creates, renames, replaces, changes and removes one of
// every resource. After `pulumi cancel` and the next `up` the servers hold what the program declares, and nothing that it declared before.

const victims: readonly Victim[] = ["command line", "provider", "both"];
/** Each story has a stack of its own. */
const killsPerStory = 10;

interface Figures {
  kills: number;
  ups: number;
  /** By where it fell. */
  fell: Map<string, number>;
  /** Creations that were cut off, and refused by the next run until they adopted. */
  refused: number;
  /** Generated tokens that are left to their lease. */
  left: number;
  /** Kills after which settings no longer had what they held before. */
  originalsLost: number;
  /** Files of Pulumi's that were written by half, and removed. */
  halfWritten: number;
}

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** `POST role`, `PATCH general-settings`. */
const nameOf = (method: string, path: string): string =>
  `${method} ${/\/(role|creds|config\/\w+|leases\/\w+|lookup-self|[\w-]+-settings|workspaces|modules|registry-modules)(\/|\?|$)/.exec(path)?.[1] ?? path}`;

export async function chaos({ kills, seed }: { kills: number; seed: number }): Promise<void> {
  console.log(`${kills} kills, seed ${seed}\n`);
  const figures: Figures = { kills: 0, ups: 0, fell: new Map(), refused: 0, left: 0, originalsLost: 0, halfWritten: 0 };
  let isStopped = false;
  process.once("SIGINT", () => {
    isStopped = true;
  });
  for (let story = 0; figures.kills < kills && !isStopped; story++) {
    const { start, name } = targets[(story + seed) % targets.length] as (typeof targets)[number];
    const target = await start();
    try {
      await tell(target, randomly(seed + story), figures, Math.min(kills, figures.kills + killsPerStory), () => isStopped);
    } catch (error) {
      console.log(`story ${story} (seed ${seed + story}; ${name}) went wrong: ${(error as Error).message}`);
      process.exitCode = 1;
      break;
    } finally {
      await target.stop();
    }
    console.log(`  ${figures.kills} kills, ${figures.ups} runs`);
  }
  console.log("\n| where it fell | kills |\n|---|---:|");
  for (const [key, number] of [...figures.fell].sort(([a], [b]) => a.localeCompare(b))) console.log(`| ${key} | ${number} |`);
  console.log(
    `\n${figures.kills} kills, ${figures.ups} runs of \`pulumi up\`; ${figures.refused} creations refused until they adopted, ${figures.left} generated tokens left to their lease, ${figures.originalsLost} times the original value of settings was lost, ${figures.halfWritten} files of Pulumi's left half written.`,
  );
}

async function tell(target: Target, random: () => number, figures: Figures, until: number, isStopped: () => boolean): Promise<void> {
  const { dialect, sandbox } = target;
  if (!sandbox) throw new Error("kills are for the sandbox");
  const gateways = [await startGateway(target.address), await startGateway(sandbox.platform.url)] as const;
  const [secretsGateway, platformGateway] = gateways;
  const runs = new Killable(`${process.pid}-${secretsGateway.url}`, {
    STEWARD_TOKEN: target.token,
    STEWARD_PLATFORM_TOKEN: sandbox.platform.token,
    STEWARD_SCHEDULER: target.scheduler.address,
    STEWARD_SCHEDULER_TOKEN: target.scheduler.token,
  });
  runs.project.config({
    "steward:default": {
      secrets: { address: secretsGateway.url, tokenEnv: "STEWARD_TOKEN", dialect, mount: "zero" },
      platform: { address: platformGateway.url, tokenEnv: "STEWARD_PLATFORM_TOKEN", dialect },
    },
  });
  for (const mount of ["zero", "one"])
    await target.outOfBand("POST", `sys/mounts/${mount}`, { type: dialect === "standard" ? "scheduler" : "nomad" });
  const administration = platform(dialect, sandbox);
  await administration.change("general", { apiRateLimitingEnabled: false });

  const drawing = new Drawing(random);
  const model = new Model(target, administration);
  await model.remember();
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const said: string[] = [];
  const up = async (program: string): Promise<{ code: number; output: string }> => {
    runs.project.program(program);
    const run = await runs.up();
    figures.ups++;
    said.push(`--- up (${run.code})\n${run.output}`);
    return run;
  };
  const failure = (text: string): Error => new Error(`${text}\n${said.slice(-3).join("\n")}`);

  try {
    model.reseed(drawing);
    for (const gateway of gateways) gateway.interrupt = ({ path }) => model.watch(path);
    const first = await up(drawing.program());
    if (first.code !== 0) throw failure("the first up failed");
    while (figures.kills < until && !isStopped()) {
      const adopts = random() < 0.5;
      drawing.change(adopts);
      model.reseed(drawing);
      let isKilled = false;
      let requests = 0;
      const strike = { when: pick(["before", "after"] as const), victim: pick(victims) };
      const fall = (where: string): void => {
        if (isKilled || !runs.kill(strike.victim, requests > 0)) return;
        isKilled = true;
        count(figures.fell, `${where} | ${strike.victim}`);
      };
      // At a request, or at a moment.
      const at = random() < 0.8 ? 1 + Math.floor(random() * 12) : undefined;
      const timer = at === undefined ? setTimeout(() => fall("no request"), 300 + random() * 3000) : undefined;
      for (const gateway of gateways)
        gateway.interrupt = ({ method, path }) => {
          if (++requests !== at) return model.watch(path);
          const act = (): void => fall(`${strike.when} ${nameOf(method, path)}`);
          return strike.when === "before" ? { when: "before", act } : { when: "after", act, answer: (body) => model.note(path, body) };
        };
      await up(drawing.program());
      clearTimeout(timer);
      for (const gateway of gateways) gateway.interrupt = ({ path }) => model.watch(path);
      if (isKilled) figures.kills++;

      let next = await up(drawing.program());
      if (next.code !== 0 && !adopts && isKilled && /[Ss]et adopt: true/.test(next.output)) {
        figures.refused++;
        next = await up(drawing.program(true));
      }
      if (next.code !== 0) throw failure("the up after it failed");
      const { problems, left, originalsLost } = await model.compare(drawing, isKilled);
      if (problems.length > 0) throw failure(`${problems.join("\n")}\nkilled: ${JSON.stringify(strike)} at ${at}\n${drawing.told()}`);
      figures.left += left;
      figures.originalsLost += originalsLost;
      const stored = runs.project.stored();
      for (const canary of canaries) if (stored.includes(canary)) throw failure(`${canary} stands in clear text in the backend`);
      if (figures.kills % 5 === 0) await runs.project.calm();
    }
    await runs.project.destroy();
    drawing.removeAll();
    const { problems } = await model.compare(drawing, false);
    if (problems.length > 0) throw failure(`after destroy: ${problems.join("\n")}`);
    runs.end();
  } finally {
    figures.halfWritten += runs.halfWritten;
    runs.discard();
    for (const gateway of gateways) await gateway.close();
  }
}
