import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { render } from "./render";

// `npm run generate`: writes the page of the attacks.

writeFileSync(join(__dirname, "../../docs/development/attacks.md"), render());
process.stdout.write("Generated docs/development/attacks.md.\n");
