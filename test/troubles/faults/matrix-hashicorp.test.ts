import { matrix } from "./matrix";

matrix("hashicorp", "dynamic");
