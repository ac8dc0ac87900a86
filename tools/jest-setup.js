// @ts-check
// Runs once, before any test, in the process that the test processes inherit their environment from.
const { foreign } = require("./environment");
const { getPulumi } = require("./pulumi");
const { countStarts } = require("./starts");

module.exports = async () => {
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
  countStarts();
  await getPulumi();
};
