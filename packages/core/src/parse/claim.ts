// A statement about the stack that is to be judged, not output of a program.
//
// claim: torch 2.2.0 built for cu121 will not work on a machine with CUDA 12.0
import type { Document, Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { signatures } from '../knowledge/signatures/signatures.ts';
import { filled } from './blocks.ts';

const stackWord =
  /\b(?:CUDA|GPUs?|drivers?|torch|pytorch|tensorflow|jax|nvidia|nccl|cudnn|toolkit|nvcc|kernels?|PCIe|NVLink|pinned|cudaMalloc\w{0,20}|occupancy|tensor cores?|MIG|SMs?|warps?|container|image|H100|A100|H200|B200|V100|bandwidth|stream|streams)\b/i;
const outputMark =
  /^\s|Traceback|\b\w{0,60}(?:Error|Exception|Warning)\b ?[:(]|^\[|^[|+]|^(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b|^\d{4}-\d\d-\d\d|^\S{1,60}:\d{1,6}:|^>>>|NVRM|^(?:nvcc|ptxas|ldd|nvidia-container-cli|docker|error|fatal|warning|Failed|failed)\b|0x[0-9a-f]{6}|^[\w.-]{1,60}=|={3}|^[{"<]/;

const insideMark =
  /\\"|\.(?:go|py|cc|cpp|cu|cuh|c|h|rs|java|jl):\d|\berror:|\bfailed:|: unknown\b|--\w{2,30}=|\S@\S{1,40}:|\bstatus \d/i;

/** True for a line of running text: words in lower case, no marks of a program. */
function isProse(text: string): boolean {
  const trimmed = text.trimEnd();
  if (trimmed.length < 20 || trimmed.length > 1500 || outputMark.test(trimmed) || insideMark.test(trimmed))
    return false;
  const parts = trimmed.split(/\s+/);
  const plain = parts.filter((word) => /^[A-Za-z][a-z'-]{0,20}[,.;:)]?$/.test(word)).length;
  return parts.length >= 5 && plain * 2 >= parts.length;
}

/** Lines that hold the claim of a document; empty where it makes none. */
export function claimLines(document: Document): readonly Line[] {
  const lines = filled(document.lines.slice(0, 400));
  const first = lines[0];
  if (first === undefined) return [];
  if (/^claim: /i.test(first.clean)) {
    const more: Line[] = [first];
    for (const line of lines.slice(1, 4)) {
      if (line.prompt || line.told || !isProse(line.clean) || line.index !== more[more.length - 1]!.index + 1) break;
      more.push(line);
    }
    return more;
  }
  if (lines.length > 4 || lines.some((line) => line.prompt || line.told || !isProse(line.clean))) return [];
  const text = lines.map((line) => line.clean).join(' ');
  const sentences = text.split(/[.!?](?:\s|$)/).filter((part) => part.trim() !== '').length;
  return sentences <= 4 && stackWord.test(text) && !lines.some(isMessage) ? lines : [];
}

/** A program's message can read like a sentence; those that are known are no claims. */
function isMessage(line: Line): boolean {
  const text = line.clean.toLowerCase();
  return signatures.some(
    (signature) =>
      signature.literals.some((literal) => text.includes(literal)) &&
      signature.patterns.some((pattern) => pattern.test(line.clean)),
  );
}

export const claim: Parser = {
  id: 'claim',
  literals: [],
  parse(document, _hits, sink) {
    if (document.source !== 'text') return;
    const lines = claimLines(document);
    if (lines.length === 0) return;
    const text = lines.map((line) => line.clean.trim()).join(' ');
    sink.add('claim', text.replace(/^claim:\s{0,8}/i, ''), lines);
  },
};
