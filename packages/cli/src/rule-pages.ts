/** Pages of the rules as Markdown, by rule id. Empty in the source: the bundle puts `core/src/rules/<layer>/<cause>.md` in. */
export const pages: Readonly<Record<string, string>> = {};
