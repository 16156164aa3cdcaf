import type { Document, Line } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';
import { plain } from '../text/clean.ts';
import { addressDetectors } from './redact-addresses.ts';
import { domainsIn, urlsIn } from './redact-domains.ts';
import { NameLines, hostListMembers, nameDetectors } from './redact-names.ts';
import { SecretLines, secretDetectors } from './redact-secrets.ts';
import type { Detector, MaskKind, Span } from './redact-span.ts';
import { isPseudonym, nobody, ordinary, pseudonyms } from './redact-span.ts';

/** Replaces what identifies people and machines by pseudonyms; the same name gets the same pseudonym in one report. */
export interface Redactor {
  /** Learns the names of further documents of the same report. */
  learn(documents: readonly Document[]): void;
  /** A text of one or several lines. */
  text(text: string): string;
  /** Every string of a plain value; keys, and values that name rules, causes and tables, are left as they are. */
  value<T>(value: T): T;
  /** A verdict, after learning from the names in its facts. */
  verdict(verdict: Verdict): Verdict;
  /** How many different values of each kind were replaced so far, most first. */
  masked(): readonly { readonly kind: MaskKind; readonly count: number }[];
}

const detectors: readonly Detector[] = [...secretDetectors, urlsIn, ...nameDetectors, ...addressDetectors, domainsIn];

/** Names and secrets that are remembered; more are still masked where their surroundings tell what they are. */
const mostNames = 20_000;
const mostSecrets = 2000;
const mostEdges = 4000;
/** Longer ones are known by their form. */
const longestSecret = 1024;
/** Shorter pieces of a secret are no secret. */
const shortestPiece = 6;

/** Keys whose values are the product's own words. */
const own: ReadonlySet<string> = new Set(
  'schema rule layer cause owner certainty status restsOn explains actor digest asOf id source signature knowledge version event was now'.split(
    ' ',
  ),
);
/** Names of facts' fields and of captured values that hold a name. */
const namedFields: Readonly<Record<string, MaskKind>> = {
  host: 'host',
  hostname: 'host',
  node: 'host',
  nodename: 'host',
  user: 'user',
  username: 'user',
};

/**
 * Learns the names in the documents and gives a redactor for all that is printed of them.
 * @param documents the input
 */
export function redactorOf(documents: readonly Document[] = []): Redactor {
  const made = new Masker();
  made.learn(documents);
  return made;
}

class Masker implements Redactor {
  private readonly names = new Map<string, MaskKind>();
  private readonly secrets = new Set<string>();
  /** Secrets by their first characters. */
  private readonly starts = new Map<string, string[]>();
  /** Slices of long lines → what of them is a piece of something that is to be masked. */
  private readonly edges = new Map<string, readonly Span[]>();
  private readonly aliases = new Map<string, string>();
  private mostParts = 1;
  private readonly given = new Map<string, string>();
  private readonly counts = new Map<MaskKind, number>();
  private readonly used = new Set<string>();
  private readonly seen = new Map<MaskKind, number>();

  learn(documents: readonly Document[]): void {
    for (const document of documents) {
      if (document.file !== null) this.learnLine(document.file, []);
      if (document.subject !== 'text') this.learnLine(document.subject, []);
      const secretLines = new SecretLines();
      const nameLines = new NameLines();
      for (const [whole, slices] of wholeLines(document.lines)) {
        const first = slices[0]!;
        const extra: Span[] = [];
        const found = (start: number, end: number, kind: MaskKind, learn = false): void => {
          extra.push({ start, end, kind, learn });
        };
        secretLines.next(whole, found);
        // The columns of a table stand in the line without a prompt or a prefix.
        const clean = first.clean;
        const offset = whole.endsWith(clean) ? whole.length - clean.length : -1;
        if (offset >= 0)
          nameLines.next(clean, first.command, first.prompt, (start, end, kind, learn) =>
            found(start + offset, end + offset, kind, learn),
          );
        const origin = first.origin.host;
        if (origin !== undefined && !/^[\d.:]+$/.test(origin)) this.learnName('host', origin);
        this.learnLine(whole, extra);
        if (slices.length > 1 || first.column > 1) this.learnEdges(whole, slices, extra);
      }
    }
  }

  private learnLine(line: string, extra: readonly Span[]): void {
    // Names that the input has already must not be given again.
    for (const [word] of line.matchAll(pseudonyms)) this.used.add(word.toLowerCase());
    for (const span of [...extra, ...found(line)]) if (span.learn) this.learnSpan(line, span);
  }

  private learnSpan(line: string, span: Span): void {
    const text = line.slice(span.start, span.end);
    if (isPseudonym(text)) return;
    if (span.kind === 'secret' || span.kind === 'serial') {
      if (text.length >= shortestPiece) this.learnSecret(text);
      if (span.kind === 'serial') this.aliases.set(text, 'serial');
    } else if (span.kind === 'hosts') {
      for (const member of hostListMembers(text)) this.learnName('host', member);
    } else this.learnName(span.kind, text);
  }

  private learnSecret(secret: string): void {
    if (secret.length > longestSecret || this.secrets.has(secret) || this.secrets.size >= mostSecrets) return;
    this.secrets.add(secret);
    const start = secret.slice(0, shortestPiece);
    const others = this.starts.get(start) ?? [];
    // Secrets that begin alike are few, unless somebody wants them to be many.
    if (others.length < 8) others.push(secret);
    this.starts.set(start, others);
  }

  private learnName(kind: MaskKind, name: string): void {
    const lower = name.toLowerCase().replace(/(?<![.-])[.-]{1,64}$/, '');
    if (lower.length < 3 || nobody.has(lower) || ordinary.has(lower) || isPseudonym(lower) || /^[\d.]+$/.test(lower))
      return;
    if (this.names.size >= mostNames || this.names.has(lower)) return;
    this.names.set(lower, kind);
    this.mostParts = Math.max(this.mostParts, Math.min(12, lower.split(/[._-]/).length));
    // The machine is known by the first part of its name, too.
    const dot = lower.indexOf('.');
    if (kind !== 'host' || dot < 3) return;
    const short = lower.slice(0, dot);
    if (/\d/.test(short) && !/^\d+$/.test(short) && !ordinary.has(short) && !nobody.has(short)) {
      if (!this.names.has(short)) this.names.set(short, 'host');
      this.aliases.set(lower, short);
    }
  }

  /** What of a long line's slices is cut off from what makes it known. */
  private learnEdges(whole: string, slices: readonly Line[], extra: readonly Span[]): void {
    const spans = merged([...extra, ...found(whole)]);
    for (const slice of slices) {
      const start = slice.column - 1 - (slices[0]!.column - 1);
      const end = start + slice.text.length;
      const inside: Span[] = [];
      for (const span of spans) {
        if (span.end <= start || span.start >= end) continue;
        inside.push({ ...span, start: Math.max(span.start, start) - start, end: Math.min(span.end, end) - start });
        const cut = span.start < start || span.end > end;
        const piece = whole.slice(Math.max(span.start, start), Math.min(span.end, end));
        if (cut && piece.length >= 8) {
          this.learnSecret(piece);
          this.aliases.set(piece, whole.slice(span.start, span.end));
        }
      }
      // The beginning of a slice whose neighbour was not kept may be the rest of anything.
      if (start === 0 && slice.column > 1) {
        const rest = /^[\w+/=.~-]{12,}/.exec(slice.text)?.[0];
        if (rest !== undefined && /\d/.test(rest) && /[A-Za-z]{2}/.test(rest))
          inside.push({ start: 0, end: rest.length, kind: 'secret', learn: false });
      }
      if (inside.length > 0 && this.edges.size < mostEdges) this.edges.set(slice.text, inside);
    }
  }

  text(text: string): string {
    if (text === '') return text;
    const edges = this.edges.get(text);
    if (edges !== undefined) return this.line(text, edges);
    if (!text.includes('\n')) return this.line(sound(text), []);
    const secretLines = new SecretLines();
    return text
      .split('\n')
      .map((each) => {
        const line = sound(each);
        const extra: Span[] = [];
        secretLines.next(line, (start, end, kind, learn = false) => extra.push({ start, end, kind, learn }));
        return this.line(line, extra);
      })
      .join('\n');
  }

  private line(line: string, extra: readonly Span[]): string {
    const spans = merged([...extra, ...found(line), ...this.known(line)]);
    if (spans.length === 0) return line;
    const parts: string[] = [];
    let from = 0;
    for (const span of spans) {
      const text = line.slice(span.start, span.end);
      if (isPseudonym(text)) continue;
      parts.push(line.slice(from, span.start), this.pseudonym(span.kind, text));
      from = span.end;
    }
    parts.push(line.slice(from));
    return parts.join('');
  }

  /** Where learnt names and secrets stand. */
  private known(line: string): readonly Span[] {
    const spans: Span[] = [];
    if (this.names.size > 0) {
      for (const run of line.matchAll(/[A-Za-z0-9][\w.-]*/g)) this.namesIn(run[0], run.index, spans);
    }
    if (this.secrets.size === 0) return spans;
    for (let at = 0; at + shortestPiece <= line.length;) {
      let length = 1;
      for (const secret of this.starts.get(line.slice(at, at + shortestPiece)) ?? []) {
        if (secret.length <= length || !line.startsWith(secret, at)) continue;
        const kind = this.aliases.get(secret) === 'serial' ? 'serial' : 'secret';
        length = secret.length;
        spans.push({ start: at, end: at + length, kind, learn: false });
      }
      at += length;
    }
    return spans;
  }

  private namesIn(run: string, offset: number, spans: Span[]): void {
    const lower = run.toLowerCase();
    const starts: number[] = [0];
    const ends: number[] = [];
    for (let at = 1; at < lower.length; at++) {
      const code = lower.charCodeAt(at);
      if (code !== 0x2d && code !== 0x2e && code !== 0x5f) continue;
      ends.push(at);
      starts.push(at + 1);
    }
    ends.push(lower.length);
    for (let from = 0; from < starts.length; from++) {
      for (let to = Math.min(starts.length, from + this.mostParts) - 1; to >= from; to--) {
        const kind = this.names.get(lower.slice(starts[from], ends[to]));
        if (kind === undefined) continue;
        spans.push({ start: offset + starts[from]!, end: offset + ends[to]!, kind, learn: false });
        from = to;
        break;
      }
    }
  }

  private pseudonym(kind: MaskKind, text: string): string {
    const exact = kind === 'secret' || kind === 'serial';
    const name = exact ? text : text.toLowerCase().replace(/^(?:mig-gpu-|mig-|gpu-)(?=[0-9a-f]{8})/, '');
    const of = this.aliases.get(name);
    const family = kind.endsWith('uuid') ? 'uuid' : kind;
    const key = `${family}\u0000${of !== undefined && of !== 'serial' ? of : name}`;
    let made = this.given.get(key);
    if (made !== undefined) return made;
    let number = this.counts.get(kind) ?? 0;
    do made = `${kind}-${++number}`;
    while (this.used.has(made));
    this.counts.set(kind, number);
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + 1);
    this.given.set(key, made);
    return made;
  }

  value<T>(value: T): T {
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) return value.map((each) => this.value(each as unknown)) as T;
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          own.has(key) ? (inner as unknown) : this.value(inner as unknown),
        ]),
      ) as T;
    }
    return value;
  }

  verdict(verdict: Verdict): Verdict {
    for (const fact of verdict.facts) this.learnFields(fact.value, 0);
    return this.value(verdict);
  }

  private learnFields(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > 3) return;
    for (const [key, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
      const kind = namedFields[key.toLowerCase()];
      if (typeof inner === 'string' && kind !== undefined && /^[A-Za-z][\w.-]{2,127}$/.test(inner))
        this.learnName(kind, inner);
      else this.learnFields(inner, depth + 1);
    }
  }

  masked(): readonly { readonly kind: MaskKind; readonly count: number }[] {
    return [...this.seen]
      .map(([kind, count]) => ({ kind, count }))
      .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  }
}

/** What every detector finds in a line. */
function found(line: string): readonly Span[] {
  const spans: Span[] = [];
  const add = (start: number, end: number, kind: MaskKind, learn = false): void => {
    if (end > start) spans.push({ start, end, kind, learn });
  };
  for (const detector of detectors) detector(line, add);
  return spans;
}

/** Spans without overlaps, in order: a longer one takes in the shorter, of two that cross each other the first gives its kind. */
function merged(spans: readonly Span[]): readonly Span[] {
  const ordered = spans
    .map((span, order) => ({ span, order }))
    .sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end || a.order - b.order);
  const out: Span[] = [];
  for (const { span } of ordered) {
    const last = out.at(-1);
    if (last === undefined || span.start >= last.end) out.push(span);
    else if (span.end > last.end)
      out[out.length - 1] = {
        ...last,
        end: span.end,
        kind: last.kind === 'secret' ? 'secret' : span.kind === 'secret' ? 'secret' : last.kind,
      };
  }
  return out;
}

/** A line as a reader sees it: colour codes could hold a secret apart that a page would put together again. */
function sound(line: string): string {
  return /[\u001b\0]|\r./.test(line) ? plain(line) : line;
}

/** Lines of a document, slices of one long line put together. */
function* wholeLines(lines: readonly Line[]): Generator<readonly [string, readonly Line[]]> {
  for (let at = 0; at < lines.length;) {
    const slices = [lines[at++]!];
    let text = slices[0]!.text;
    let end = slices[0]!.column + text.length;
    while (at < lines.length && lines[at]!.number === slices[0]!.number && lines[at]!.column <= end) {
      const slice = lines[at++]!;
      const overlap = end - slice.column;
      text += slice.text.slice(overlap);
      end = slice.column + slice.text.length;
      slices.push(slice);
    }
    yield [slices.length === 1 && slices[0]!.column === 1 ? sound(text) : text, slices];
  }
}
