import { everyBlow } from "./shapes";

everyBlow("hashicorp", ["3/2 to 3/2", "3/2 to 3/2, PGP", "3/2 to 3/2, PGP and backup, one person", "5/3 to 3/2, PGP and backup"]);
