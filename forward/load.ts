/** What loads a module of the package `pulumi-steward-sandbox`, which users install by themselves. Throws where they have not. */
export function loadSandbox<Module>(load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    if (!/^Cannot find module 'pulumi-steward-sandbox/.test((error as Error).message)) throw error;
    throw new Error(
      "The sandbox is a package of its own: run `npx pulumi-steward-sandbox`, or install it with `npm install --save-dev pulumi-steward-sandbox`.",
    );
  }
}
