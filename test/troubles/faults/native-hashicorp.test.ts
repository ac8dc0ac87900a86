import { matrix } from "./matrix";

matrix("hashicorp", "native");
