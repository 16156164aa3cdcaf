import type { Knowledge } from '../knowledge/knowledge.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';

/** Signatures that recognise a text, those with causes of their own first. */
export function recognised(knowledge: Knowledge, text: string): readonly SignatureRow[] {
  const lower = text.toLowerCase();
  return knowledge.signatures
    .filter(
      (row) =>
        row.literals.some((literal) => lower.includes(literal)) && row.patterns.some((pattern) => pattern.test(text)),
    )
    .sort(
      (a, b) => Number(b.role === 'signature') - Number(a.role === 'signature') || b.causes.length - a.causes.length,
    );
}
