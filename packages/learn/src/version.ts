/** The version all packages share. Written here, not read from a package.json, so that a bundled program knows it too. */
export const version = "0.1.0";
