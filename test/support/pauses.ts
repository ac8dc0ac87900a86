import { limits } from "../../provider/http";

// As many retries as a user has, in less time.
limits.firstPause = 5;
