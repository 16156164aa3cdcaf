/** Names and words of the trade that are often mistyped. */
const words = [
  'pytorch',
  'tensorflow',
  'onnxruntime',
  'bitsandbytes',
  'nvidia',
  'driver',
  'drivers',
  'toolkit',
  'container',
  'geforce',
  'quadro',
  'tesla',
  'blackwell',
  'hopper',
  'ampere',
  'turing',
  'pascal',
  'maxwell',
  'kepler',
  'windows',
  'proprietary',
  'compat',
  'version',
  'minimum',
  'torch',
] as const;
const right = new Set<string>([
  ...words,
  ...'contain contains contained containers versions toolkits compute compact quadros touch drives driven river torches windowed window drive nvidia-smi pytorchs teslas taring tuning during pastel'.split(
    ' ',
  ),
]);
const byFirst = new Map<string, readonly string[]>();
for (const word of words) {
  for (const letter of new Set([word.charAt(0), word.charAt(1)]))
    byFirst.set(letter, [...(byFirst.get(letter) ?? []), word]);
}

/**
 * Puts mistyped names right: one letter wrong, missing, too many or two swapped (`pytroch`, `nvida`). Short words and
 * words with digits stay as they are.
 */
export function respelled(text: string): string {
  return text.replace(/(?<![\w./-])[A-Za-z]{5,13}(?![\w/])/g, (typed) => {
    const lower = typed.toLowerCase();
    if (right.has(lower)) return typed;
    for (const word of byFirst.get(lower.charAt(0)) ?? []) if (isOneOff(lower, word)) return word;
    return typed;
  });
}

/** Are the words one slip apart? */
function isOneOff(typed: string, word: string): boolean {
  const longer = typed.length - word.length;
  if (longer > 1 || longer < -1) return false;
  let at = 0;
  while (at < typed.length && at < word.length && typed.charAt(at) === word.charAt(at)) at += 1;
  const rest = typed.slice(at);
  const wanted = word.slice(at);
  if (longer === 1) return rest.slice(1) === wanted;
  if (longer === -1) return rest === wanted.slice(1);
  return (
    rest.slice(1) === wanted.slice(1) ||
    (rest.charAt(0) === wanted.charAt(1) && rest.charAt(1) === wanted.charAt(0) && rest.slice(2) === wanted.slice(2))
  );
}
