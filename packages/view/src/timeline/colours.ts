import { isDark } from '../theme.ts';

/** A colour for each kind of event, light and dark, in the order of `timelineKinds` of core. */
const kindColours: readonly (readonly [light: string, dark: string])[] = [
  ['#1f6feb', '#58a6ff'],
  ['#8250df', '#bc8cff'],
  ['#0a3069', '#a5d6ff'],
  ['#1a7f37', '#3fb950'],
  ['#9a6700', '#d29922'],
  ['#3b8a8a', '#56d4dd'],
  ['#6e7781', '#8b949e'],
  ['#cf222e', '#ff7b72'],
  ['#a9b3bf', '#57606a'],
  ['#bc4c00', '#ffa657'],
  ['#c5ccd3', '#484f58'],
  ['#d0b8f0', '#5a4a7a'],
];

export function kindColour(kind: number): string {
  const pair = kindColours[kind] ?? kindColours[0]!;
  return isDark() ? pair[1] : pair[0];
}
