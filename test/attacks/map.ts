import { sections } from "./attacks";
import { columnsOf } from "./columns";

// `node --require ./tools/typescript.js test/attacks/map.ts` prints each attack with its columns, its proofs and its mutants, separated by tabs.

for (const { attacks } of sections)
  for (const { attack, proofs, mutants = [], otherwise } of attacks) {
    const { dialects, mechanisms, real } = columnsOf(proofs);
    const columns = [dialects.join(", "), mechanisms.join(", "), real ? "real" : ""];
    const tests = [...(otherwise ? [otherwise] : []), ...proofs.map(([suite, title]) => (title ? `${suite}: ${title}` : suite))];
    process.stdout.write(`${[attack, ...columns, tests.join(" | "), mutants.join(" | ")].join("\t")}\n`);
  }
