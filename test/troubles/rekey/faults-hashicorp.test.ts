import { everyBlow } from "./shapes";

everyBlow("hashicorp", ["3/2 to 3/2", "3/2 to 5/3, PGP", "3/2 to 3/2, PGP and backup", "5/3 to 3/2, PGP and backup, three holders"]);
