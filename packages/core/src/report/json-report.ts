/** A verdict, judgement or other answer as JSON: two spaces of indent, one line feed at the end. */
export function jsonReport(answer: unknown): string {
  return `${JSON.stringify(answer, null, 2)}\n`;
}
