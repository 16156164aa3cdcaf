const sentence =
  /\b(?:is|are|was|has|have|shows?|lacks?|names?|says?|fails?|works?|worked|takes?|differs?|equals?|grows?|runs?|stands?|comes|listens|prints|missing|lower|older|stays|holds)\b/;
const alreadyWords = /^(?:the|a|an|its?|their|what|which|whether|how|where|who|when|memory|number|release) /i;

/**
 * What would tell the causes of a message apart, as the missing fact: tables note it as a state ("no nvcc"), a thing
 * ("banner") or a command ("pip list").
 * @param commands what the same row asks to run
 */
export function decidingWords(noted: string, commands: readonly string[]): string {
  const text = noted.trim().replace(/\.$/, '');
  const [first = ''] = text.split(' ');
  const run = commands.some((each) => each.startsWith(`${first} `) || each === first);
  if (sentence.test(text)) return alreadyWords.test(text) && !/^(?:its?|the|a) /i.test(text) ? text : `whether ${text}`;
  if (/^no /i.test(text)) return `whether there is ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  if (alreadyWords.test(text)) return text;
  // A program by itself is asked for what it shows.
  if (
    run ||
    /^[a-z]{2,20}(?:-[a-z]{2,20})? -/.test(text) ||
    /^(?:kubectl|systemctl|scontrol|getent|nvidia-smi|ray) /.test(text)
  )
    return `what ${text} shows`;
  return /^[a-z]+(?: |$)/.test(text) ? `the ${text}` : `what is known of ${text}`;
}
