// Sizes that matter beyond their place: tensors with more elements than 32 bits count, and pinned memory that takes
// more than was asked for.
//
// RuntimeError in op for input of shape torch.Size([19345706, 128])
// numel=2476250368
// asked for 20.4 GiB of pinned memory, 32 GiB were taken
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';

const most32 = 2 ** 31;

/** Shapes in a line: `torch.Size([a, b])`, `shape=(a, b)`, `[a, b] tensor`. */
const shapes: readonly RegExp[] = [
  /(?:[Ss]ize|[Ss]hapes?|[Tt]ensors?|dims?|input|output|logits|of)[^\d\n()[\]]{0,30}[([]{1,2}(\d{1,12}(?:, ?\d{1,12}){1,7})[)\]]{1,2}/g,
  /[([](\d{1,12}(?:, ?\d{1,12}){1,7})[)\]] ?(?:tensor|matrix|array|elements|input|logits|float|half|bf16|fp16|fp32)/g,
  /\b(\d{1,9}(?: ?[x×*] ?\d{1,9}){1,6})\b/g,
];
const counts: readonly RegExp[] = [
  /(?:numel|elements|n_elements|nelement)\S{0,4}\s{0,2}[:=(]{0,2}\s{0,2}(\d[\d,_]{9,20})\b/g,
  /\b(\d[\d,_]{9,20}) (?:elements|entries|values|items)\b/g,
];

export const tensorSizes: Parser = {
  id: 'tensor-size',
  literals: ['torch.size', 'shape', 'tensor', 'numel', 'elements', 'nelement', 'logits', 'input', 'matrix'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const elements = Math.max(
        ...shapes.flatMap((pattern) => products(pattern, line.clean)),
        ...counts.flatMap((pattern) => numbers(pattern, line.clean)),
        0,
      );
      if (elements >= most32 - 1 && elements < 2 ** 50) sink.add('program.large-tensor', elements, line);
    }
  },
};

function products(pattern: RegExp, text: string): readonly number[] {
  return [...text.matchAll(pattern)].slice(0, 20).map((match) =>
    match[1]!
      .split(/[^\d]+/)
      .filter((part) => part !== '')
      .reduce((product, part) => product * Number(part), 1),
  );
}

function numbers(pattern: RegExp, text: string): readonly number[] {
  return [...text.matchAll(pattern)].slice(0, 20).map((match) => Number(match[1]!.replaceAll(/[,_]/g, '')));
}

const size = /(\d{1,9}(?:\.\d{1,4})?) ?(GiB|GB|MiB|MB|G|M|KiB|KB|bytes)\b/g;
const words = /pinned|pin_memory|page[- ]?locked|cudaHostAlloc|host alloc/i;
const asked = /ask|request|want|need|tensor|alloc\w{0,8} of|for a|buffer of|size|numel/i;
const took = /took|taken|take|use|reserv|alloc|grew|grow|locked|pinned|really|actual|shared|rss|lock/i;

export const pinnedSizes: Parser = {
  id: 'pinned-size',
  literals: ['pinned', 'pin_memory', 'page-locked', 'page locked', 'cudahostalloc', 'host alloc'],
  parse(_document, hits, sink) {
    const single: { readonly bytes: number; readonly line: Line; readonly asked: boolean }[] = [];
    for (const line of hits) {
      if (line.prompt || !words.test(line.clean)) continue;
      const found = [...line.clean.matchAll(size)]
        .slice(0, 8)
        .map((match) => Number(match[1]) * (units[match[2]!] ?? 1));
      const bytes = found.filter((each) => each >= 1024);
      for (const [at, small] of bytes.entries()) {
        for (const large of bytes.slice(at + 1)) {
          if (isRoundedUp(small, large)) sink.add('host.pinned-size', { asked: small, taken: large }, line);
        }
      }
      if (bytes.length === 1)
        single.push({
          bytes: bytes[0]!,
          line,
          asked: asked.test(line.clean) && !/alloc(?:ated)?\b.{0,20}\d/.test(line.clean),
        });
    }
    // One line says what was asked, a near one what it took.
    for (const want of single.filter((each) => each.asked)) {
      const got = single.find(
        (each) =>
          each !== want &&
          took.test(each.line.clean) &&
          Math.abs(each.line.index - want.line.index) <= 12 &&
          isRoundedUp(want.bytes, each.bytes),
      );
      if (got !== undefined)
        sink.add('host.pinned-size', { asked: want.bytes, taken: got.bytes }, [want.line, got.line]);
    }
  },
};

const units: Readonly<Record<string, number>> = {
  KiB: 1024,
  KB: 1024,
  MiB: 1024 ** 2,
  MB: 1024 ** 2,
  M: 1024 ** 2,
  GiB: 1024 ** 3,
  GB: 1024 ** 3,
  G: 1024 ** 3,
};

/** Is `taken` the power of two above `asked`, as far as rounded figures tell? */
function isRoundedUp(wanted: number, taken: number): boolean {
  if (taken < wanted * 1.15 || taken > wanted * 2.05) return false;
  const power = 2 ** Math.ceil(Math.log2(wanted));
  return Math.abs(taken - power) <= power * 0.06;
}
