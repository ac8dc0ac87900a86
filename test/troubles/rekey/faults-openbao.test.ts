import { everyBlow } from "./shapes";

everyBlow("openbao", ["3/2 to 3/2", "3/2 to 3/2, PGP and backup"]);
