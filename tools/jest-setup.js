// @ts-check
// Runs once before all tests, in the process whose environment the test processes inherit.
const { foreign } = require("./environment");
const { getPulumi } = require("./pulumi");

module.exports = async () => {
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
  await getPulumi();
};
