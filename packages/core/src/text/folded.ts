// Texts that YAML breaks over several lines. kubectl folds long messages, and what it folds is what a reader looks for.
//
//     message: 'failed to create containerd task: failed to create shim task: OCI
//       runtime create failed: unsatisfied condition: cuda>=12.6'

const start = /^(\s{0,40}(?:- )?)(?:message|note|reason|output|log): {1,4}(['"]?)(?=\S)(.{20,})$/;
const mostLines = 60;
const longest = 4096;

/** Puts the lines of one folded text together. */
export class FoldedText {
  private indent = -1;
  private quote = '';
  private text = '';
  private count = 0;

  /** True while a text is open that the next line may go on with. */
  get open(): boolean {
    return this.indent >= 0;
  }

  /** Forgets an open text. */
  reset(): void {
    this.indent = -1;
  }

  /**
   * Takes the next line.
   * @returns the text so far where the line goes on with it, its quotes as they were; null otherwise
   */
  take(line: string): string | null {
    if (this.indent >= 0) {
      const body = line.trim();
      const indent = line.length - line.trimStart().length;
      const goesOn =
        body !== '' &&
        indent > this.indent &&
        ++this.count < mostLines &&
        this.text.length < longest &&
        (this.quote !== '' || !/^(?:- |[\w./-]{1,60}:(?: |$))/.test(body));
      if (goesOn) {
        const ends = this.quote !== '' && closes(body, this.quote);
        this.text = `${this.text} ${unquote(body, this.quote, ends)}`.slice(0, longest);
        if (ends) this.reset();
        return this.text;
      }
      // An empty line inside quotes is a line end of the text.
      if (body === '' && this.quote !== '') return null;
      this.reset();
    }
    // Most lines are too short or have no such key.
    const match = line.length > 28 && line.includes(': ') ? start.exec(line) : null;
    if (match === null) return null;
    const [, indent, quote, value] = match as unknown as [string, string, string, string];
    if (quote !== '' && closes(value, quote)) return null;
    this.indent = indent.length;
    this.quote = quote;
    this.text = line.slice(0, line.length - value.length - quote.length) + unquote(value, quote, false);
    this.count = 0;
    return null;
  }
}

function closes(text: string, quote: string): boolean {
  if (!text.endsWith(quote)) return false;
  let count = 0;
  for (let at = text.length - 1; at >= 0 && text[at] === quote; at--) count++;
  if (quote === "'") return count % 2 === 1;
  let slashes = 0;
  for (let at = text.length - 2; at >= 0 && text[at] === '\\'; at--) slashes++;
  return slashes % 2 === 0;
}

function unquote(text: string, quote: string, ends: boolean): string {
  const body = ends ? text.slice(0, -1) : text;
  if (quote === "'") return body.replaceAll("''", "'");
  if (quote === '"')
    return body
      .replace(/\\$/, '')
      .replace(/^\\ /, ' ')
      .replaceAll('\\"', '"')
      .replaceAll(/\\[nt]/g, ' ');
  return body;
}
