/** Loads a module of the package `pulumi-steward-sandbox`. Throws an error with the command to install it if it is missing. */
export function loadSandbox<Module>(load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    if (!/^Cannot find module 'pulumi-steward-sandbox/.test((error as Error).message)) throw error;
    throw new Error(
      "The sandbox is a separate package: run `npx pulumi-steward-sandbox`, or install it with `npm install --save-dev pulumi-steward-sandbox`.",
    );
  }
}
