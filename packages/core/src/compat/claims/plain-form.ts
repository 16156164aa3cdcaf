/** Turns of speech and the plain words for them. */
const turns: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  // The second denial only stresses the first.
  [
    /(\b(?:not|no|never|nothing|nobody|cannot)\b|n't\b)([^.;]{1,120}?),? not even (?=with|within|on|under|if|in)/gi,
    (_all, no = '', between = '') => `${no}${between} even `,
  ],
  [
    /^without (?:an? |the )?([^,;]{2,60}?),? no ([^,;]{2,60}?) (?:(?:can|will|does|would) )?(?:ever )?(?:starts?|runs?|works?|loads?)\b/i,
    (_all, what = '', who = '') => `${who} needs ${what}`,
  ],
  [/\bcan(?:not| not|'t) (?:do|go|manage|get by|get along|live) without\b/gi, 'needs'],
  [
    /\b(?:does|do|gets? (?:by|along)|makes? do|manages?|can (?:do|manage|get by|get along|live)) without (?=(?:any |an? |the )?\S)/gi,
    'does not need ',
  ],
  [/\b(?:can (?:do|manage|get by|get along|make do)|gets? (?:by|along)|makes? do|manages?) with\b/gi, 'works with'],
  [
    /\b(?:is|are) (?:anything but|far from (?:being )?|by no means|in no way|not at all|not by any means) ?(?=\S)/gi,
    'is not ',
  ],
  [/\bthere(?: is|'s) no need (?:for [^,;]{1,30} )?to (?=\S)/gi, 'it is not necessary to '],
  [/\bthere(?: is|'s) no need for (?=\S)/gi, 'it does not need '],
  [
    /\bnothing (?:stops|prevents|keeps|hinders|bars|blocks) (.{2,80}?) from (run|start|work|load|us|execut|boot|launch|compil|driv|see|install)n?ing\b/gi,
    (_all, what = '', verb = '') => `${what} can ${verb}${/^(?:us|execut|compil|driv)$/i.test(verb) ? 'e' : ''}`,
  ],
  [
    /\b(?:has|have) no (?:choice|option|alternative|other way) (?:but|than|except) to (?:stay|remain|be|keep)(?: (?:at|on|with))?(?= )/gi,
    'need',
  ],
  [/\b(?:has|have|there(?: is|'s)) no (?:choice|option|alternative|other way) (?:but|than|except) to\b/gi, 'must'],
  [/\bdoes away with\b/gi, 'skips'],
  [/\bdo away with\b/gi, 'skip'],
  [/\b(?:fails|refuses|declines) to (?=\w)/gi, 'does not '],
  [/\b(?:fail|refuse|decline) to (?=\w)/gi, 'do not '],
  [/\b(?:is|are) of no use\b/gi, 'does not work'],
];

/** A statement in plain words, where it has a turn of speech that the readers do not know. */
export function plainForm(text: string): string {
  let plain = text;
  for (const [pattern, to] of turns)
    plain = typeof to === 'string' ? plain.replace(pattern, to) : plain.replace(pattern, to);
  return plain;
}
