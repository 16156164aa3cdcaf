/** A Markdown code block whose fence is longer than any run of backticks in its text, so that the text cannot end it. */
export function fenced(text: string, language: string): string {
  let longest = 2;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = text.charCodeAt(at) === 0x60 ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
