/** Colours of a terminal (ECMA-48 SGR); each gives the text unchanged where colour is not wanted. */
export interface Paint {
  readonly strong: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly doubt: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly link: (text: string) => string;
}

const same = (text: string): string => text;
const sgr =
  (code: string) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;

export function paintOf(color: boolean): Paint {
  if (!color) return { strong: same, bad: same, good: same, doubt: same, dim: same, link: same };
  return { strong: sgr('1'), bad: sgr('1;31'), good: sgr('1;32'), doubt: sgr('1;33'), dim: sgr('2'), link: sgr('36') };
}
