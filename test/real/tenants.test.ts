import { startOpenBao } from "../../tools/servers";
import { onServer, RekeyTarget } from "../support/rekey";
import { isNight, seed } from "../support/scope";
import { Killable, Victim } from "../troubles/rekey/killable";
import { randomly } from "../troubles/rekey/random";

// Two namespaces with unseal keys of their own and the server's own keys, in one stack. Pulumi rekeys them in parallel, and is killed at random.

const { REAL_OPENBAO_ADDRESS } = process.env;
const wanted = isNight ? 100 : 3;
/** More than a rekey needs after its last kill. */
const calmRuns = 4;

(REAL_OPENBAO_ADDRESS ? test : test.skip)(
  `two tenants and the root are rekeyed in parallel, and killed ${wanted} times`,
  async () => {
    const random = randomly(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const server = await startOpenBao();
    const targets: Record<string, RekeyTarget> = {};
    for (const name of ["root", "one", "two"])
      targets[name] = await onServer(server, { dialect: "openbao", keys: "unseal", ...(name === "root" ? {} : { namespace: name }) });
    const names = Object.keys(targets);
    const of = (name: string): RekeyTarget => targets[name] as RekeyTarget;
    const runs = new Killable(`${process.pid}-tenants`, { STEWARD_TOKEN: server.token });
    runs.project
      .config(Object.fromEntries(names.map((name) => [`steward:${name}`, of(name).connection["steward:default"] as object])))
      .program(`
      for (const name of ${JSON.stringify(names)}) {
        const currentShares = [0, 1, 2].map((index) => ({ env: \`\${name}_\${index}\` }));
        const rekey = new secrets.Rekey(name, { secretShares: 3, secretThreshold: 2, keepSharesInState: true, currentShares, connection: name, triggers: [process.env.ROUND], onConflict: process.env.ON_CONFLICT });
        exports[name] = rekey.shares;
      }`);
    const valid = Object.fromEntries(names.map((name) => [name, of(name).first]));
    let [kills, round, stops] = [0, 0, 0];
    let onConflict = "fail";

    /** Each set in the state, of any of the three rekeys. */
    async function saved(): Promise<string[][]> {
      const sets: string[][] = [];
      const visit = (value: unknown): void => {
        if (typeof value !== "object" || value === null) return;
        const { shares } = value as { shares?: unknown };
        if (Array.isArray(shares) && shares.length > 0) sets.push(shares as string[]);
        for (const inner of Object.values(value)) visit(inner);
      };
      visit((await runs.project.resources()).map(({ outputs }) => outputs));
      return sets;
    }

    try {
      while (kills < wanted) {
        round++;
        for (let run = 0, calm = 0; ; run++) {
          if (calm > calmRuns) throw new Error(`round ${round} does not end:\n${runs.output}`);
          const shares = Object.entries(valid).flatMap(([name, set]) => set.slice(0, 3).map((share, index) => [`${name}_${index}`, share]));
          runs.project.with({ ...Object.fromEntries(shares), ROUND: `${round}.${stops}`, ON_CONFLICT: onConflict });
          let left = kills < wanted && run < 3 ? 1 + Math.floor(random() * 70) : Number.POSITIVE_INFINITY;
          if (left === Number.POSITIVE_INFINITY) calm++;
          const [when, victim] = [pick(["before", "after"] as const), pick<Victim>(["command line", "both"])];
          for (const name of names)
            of(name).gateway.interrupt = () => {
              if (--left !== 0) return undefined;
              kills++;
              return { when, act: () => runs.kill(victim) };
            };
          const { code, output } = await runs.up();
          for (const name of names) of(name).gateway.interrupt = undefined;
          for (const name of names) {
            const known = [valid[name] as string[], ...(await saved())];
            const opening = [];
            for (const set of known) if (await of(name).opens(set.slice(0, 3))) opening.push(set);
            if (opening.length === 0) throw new Error(`no known shares open ${name}:\n${output}`);
            valid[name] = opening[0] as string[];
          }
          if (/\[rekey\/(not-committed|previous-shares-missing)\]/.test(output)) stops++;
          // A killed command line leaves its provider, which may start one more attempt that no state knows.
          onConflict = /\[rekey\/foreign-attempt\]/.test(output) ? "cancel" : "fail";
          if (code === 0) break;
        }
        const outputs = (await runs.project.outputs()) as Record<string, string[]>;
        for (const name of names) {
          expect(outputs[name]).toEqual(valid[name]);
          for (const other of names)
            expect([name, other, await of(other).opens((valid[name] as string[]).slice(1))]).toEqual([name, other, name === other]);
        }
      }
      expect(kills).toBe(wanted);
    } finally {
      runs.end();
      for (const name of names) await of(name).stop();
      await server.stop();
    }
  },
  300_000 + wanted * 30_000,
);
