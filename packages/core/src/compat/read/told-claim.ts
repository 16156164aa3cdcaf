/** `Is that so?` after a statement, and its forms. */
const asksIfTrue =
  /[.,;:!?"')\]-]\s{0,3}(?:(?:so |and |now |but )?(?:is|isn't|was|are) (?:that|this|it|he|she|they) (?:really |actually |even )?(?:so|true|right|correct|the case|a fact|accurate|valid|wrong|(?:the |a |an? )?(?:right|real|true|correct|actual|valid) (?:explanation|reason|cause|diagnosis|conclusion|statement|claim))|true or false|fact or fiction|do you agree|agree|agreed)\s{0,2}\??\s{0,2}$/i;
const quoted = /(?<![A-Za-z0-9])(["'])((?:[^"']|(?<=[A-Za-z])'(?=[A-Za-z])){15,400})\1(?![A-Za-z0-9])/g;

/**
 * The statement of a text that quotes one and asks whether it is so: `Vendor slide: 'Rubin needs R615.' Is that so?`.
 * Null where the text does not ask that.
 */
export function toldClaim(text: string): string | null {
  const tag = asksIfTrue.exec(text.slice(-200));
  if (tag === null) return null;
  const before = text.slice(0, text.length - Math.min(200, text.length) + tag.index + 1).trim();
  const plain = before.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');
  quoted.lastIndex = 0;
  let quote: string | null = null;
  for (let match = quoted.exec(plain); match !== null; match = quoted.exec(plain)) quote = match[2] as string;
  const statement = quote ?? plain;
  // Who said it is no part of it.
  return statement.replace(/^[^:;.'"\d]{2,60}: /, '').trim();
}
