import { Command } from "commander";
import { configurations } from "./configurations";
import { Exploration, explore } from "./explore";
import * as properties from "./properties";

// `node tools/run.js model`: explores the protocol of a rekey, and prints a table of what it met.

function main({ small, only }: { small: boolean; only: string }): void {
  const header = ["Rekey; at most", "States", "Transitions", "Idle states", "How they end", "Seconds"];
  console.log(`| ${header.join(" | ")} |\n|${" --- |".repeat(header.length)}`);
  for (const each of configurations) {
    const budget = small ? each.small : each.large;
    const title = JSON.stringify({ ...each.settings, ...budget });
    if (!title.includes(only)) continue;
    const { states, transitions, idle, seconds, ends, violations } = explore(each.settings, budget, properties);
    const counts = [states, transitions, idle].map((count) => count.toLocaleString("en"));
    console.log(`| ${[title, ...counts, describe(ends), seconds.toFixed(0)].join(" | ")} |`);
    for (const [name, way] of violations)
      console.log(`\nVIOLATED: ${name}\n${way.map((line, index) => `${index + 1}. ${line}`).join("\n")}\n`);
    if (violations.size > 0) process.exitCode = 1;
  }
}

const describe = (ends: Exploration["ends"]): string => [...ends].map(([end, count]) => `${end}: ${count.toLocaleString("en")}`).join(", ");

new Command("node tools/run.js model")
  .description("Explores every order of requests, runs and troubles of a rekey.")
  .option("--small", "as TESTS=all does, instead of as each night", false)
  .option("--only <text>", "those whose title contains it", "")
  .action(main)
  .parse();
