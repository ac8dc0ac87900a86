import { explore } from "./explore";
import * as properties from "./properties";
const [settings, budget] = process.argv.slice(2).map((t) => JSON.parse(t));
const { violations, ends, ...rest } = explore({ holders: true, openBao: false, backup: false, verification: true, from: 1, to: 2, ...settings }, budget, properties);
console.log(rest, ends, process.memoryUsage().rss / 1e6);
for (const [name, way] of violations) console.log("\nVIOLATED", name, "\n" + way.filter((l) => !process.env.SHORT || !/^==>|^save [{][}]/.test(l)).slice(0, 45).map((l, i) => `${i + 1}. ${l}`).join("\n"));
