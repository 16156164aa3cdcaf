/** The built page by path (`index.html`, `assets/…`), in base64. Empty but in the single binary, which has no files beside it. */
export const embeddedPage: Readonly<Record<string, string>> = {};
