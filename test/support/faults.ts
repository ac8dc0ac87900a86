/** With FAULTS=all every fault meets every request of a rekey; else each fault meets every fifth request, and the next fault others. */
export const stride = process.env.FAULTS === "all" ? 1 : 5;
