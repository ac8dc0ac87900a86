import { isWhole } from "../../support/scope";
import { everyBlow } from "./shapes";

if (isWhole) everyBlow("hashicorp", ["3/2 to 3/2"], "recovery");
everyBlow("openbao", ["3/2 to 3/2, PGP and backup", "0/0 to 3/2", "0/0 to 3/2, PGP and backup"], "recovery");
