// Why xFormers refuses an attention call, operator by operator (xformers/ops/fmha/dispatch.py, common.py).
//
// NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:
//      query       : shape=(1, 4096, 8, 64) (torch.bfloat16)
// `fa2F@2.5.7-pt` is not supported because:
//     requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)
// `cutlassF-pt` is not supported because:
//     device=cpu (supported: {'cuda'})
import type { Document, Line } from '../model/document.ts';
import type { FactValue } from '../model/facts.ts';
import type { Parser } from './parser.ts';

type Refused = FactValue<'attention.refused'>;
type Reason = 'newer' | 'older' | 'cpu' | 'build' | 'input';

interface Operator {
  readonly reasons: Reason[];
}

const head = /No operator found for `?memory_efficient_attention\w{0,40}`? with inputs/;
const named = /^\s{0,8}`[\w@.+-]{2,60}` is not supported because:/;
const capability =
  /requires device with capability (?<bound>[<>=]{1,2}) ?\((?<limit>\d{1,2}, ?\d)\) but your GPU has capability \((?<have>\d{1,2}, ?\d)\)/;

const number = (pair: string): string => pair.replace(/, ?/, '.');

export const attentionOperators: Parser = {
  id: 'attention-operators',
  literals: ['no operator found for'],
  keep: { before: 0, after: 60 },
  parse(document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      if (line.prompt || line.told || !head.test(line.clean)) continue;
      const read = readReasons(document, line);
      if (read !== null) sink.add('attention.refused', read.value, [line, ...read.lines].slice(0, 6));
    }
  },
};

function readReasons(
  document: Document,
  start: Line,
): { readonly value: Refused; readonly lines: readonly Line[] } | null {
  const operators: Operator[] = [];
  const lines: Line[] = [];
  let have: string | null = null;
  let limit: string | null = null;
  for (let at = start.index + 1; at < Math.min(document.lines.length, start.index + 90); at++) {
    const line = document.lines[at]!;
    if (line.prompt || line.told) break;
    const text = line.clean;
    if (text.trim() === '') continue;
    if (named.test(text)) {
      operators.push({ reasons: [] });
      continue;
    }
    const current = operators.at(-1);
    // Shapes of the inputs stand before the first operator; what is not indented ends the list.
    if (current === undefined ? !/^\s{2,}/.test(text) : !/^\s{2,}/.test(text)) break;
    if (current === undefined || /^\s{2,8}HINT:/.test(text)) continue;
    const asks = capability.exec(text)?.groups;
    if (asks !== undefined) {
      const newer = /too new/.test(text) || (asks['bound']!.startsWith('<') && !/too old/.test(text));
      current.reasons.push(newer ? 'newer' : 'older');
      have ??= number(asks['have']!);
      limit ??= number(asks['limit']!);
      lines.push(line);
    } else if (/operator wasn't built|wasn't build with CUDA|triton is not available/.test(text)) {
      current.reasons.push('build');
    } else if (/\bdevice=cpu\b/.test(text)) {
      current.reasons.push('cpu');
      lines.push(line);
    } else {
      current.reasons.push('input');
      if (lines.length < 4) lines.push(line);
    }
  }
  if (operators.length === 0) return null;
  return { value: { by: blame(operators), have, limit, operators: operators.length }, lines };
}

/** What all operators of this build that could serve have against the call. */
function blame(operators: readonly Operator[]): Refused['by'] {
  const built = operators.filter((each) => !each.reasons.includes('build'));
  if (built.length === 0) return 'build';
  for (const reason of ['newer', 'older', 'cpu'] as const) {
    if (!built.every((each) => each.reasons.includes(reason))) continue;
    // One that nothing else speaks against, else another GPU would not help.
    if (reason === 'cpu' || built.some((each) => each.reasons.every((one) => one === reason))) return reason;
  }
  return 'inputs';
}
