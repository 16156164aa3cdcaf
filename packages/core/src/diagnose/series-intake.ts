import type { Document } from '../model/document.ts';
import { createDocument } from '../text/document.ts';
import { documentsOfSnapshot } from '../text/snapshot.ts';
import { SeriesReader } from '../utilization/reader.ts';
import type { SeriesSet } from '../utilization/series-set.ts';

/** A file up to this length is also read as a pasted text would be. */
const mostText = 2 * 1024 * 1024;
/** What the probe or a sampling printed is read whole. */
const mostSnapshot = 128 * 1024 * 1024;
const longestLine = 1024 * 1024;

/** Takes the text of one file in pieces and puts its series into a set; what is short enough is kept as a text, too. */
export class SeriesIntake {
  private readonly set: SeriesSet;
  private readonly name: string;
  private readonly reader: SeriesReader;
  private number = 0;
  private rest = '';
  private kept: string[] | null = [];
  private size = 0;
  private snapshot: boolean | null = null;

  /** @param name what the evidence calls the file */
  constructor(set: SeriesSet, name: string) {
    this.set = set;
    this.name = name;
    this.reader = new SeriesReader(set, name);
  }

  push(text: string): void {
    this.size += text.length;
    if (this.snapshot === null && text !== '') this.snapshot = isSnapshot(text);
    if (this.size > (this.snapshot === true ? mostSnapshot : mostText)) this.kept = null;
    this.kept?.push(text);
    if (this.snapshot === true) return;
    let from = 0;
    const whole = this.rest === '' ? text : this.rest + text;
    for (let to = whole.indexOf('\n'); to >= 0; to = whole.indexOf('\n', from)) {
      this.reader.line(whole.slice(from, to), ++this.number);
      from = to + 1;
    }
    this.rest = whole.slice(from);
    if (this.rest.length > longestLine) this.rest = '';
  }

  /**
   * After the last piece.
   * @returns the texts that are judged besides, or why the input cannot be used
   */
  end(): readonly Document[] | { readonly unusable: string } {
    const { kept, name, set } = this;
    if (this.snapshot === true) {
      if (kept === null) return { unusable: `${name} is larger than ${mostSnapshot / 1024 / 1024} MiB` };
      return this.snapshotInto(kept.join(''));
    }
    if (this.rest !== '') this.reader.line(this.rest, this.number + 1);
    this.reader.end();
    if (kept === null && !this.reader.met)
      set.left.push(
        `${name} is longer than ${mostText / 1024 / 1024} MiB and holds no series; culprit diagnose reads it`,
      );
    const text = kept === null ? '' : kept.join('');
    return text.trim() === '' ? [] : [createDocument(text, { file: name })];
  }

  private snapshotInto(text: string): readonly Document[] | { readonly unusable: string } {
    const documents = text.trimStart().startsWith('{')
      ? documentsOfSnapshot(text, this.name)
      : [createDocument(text, { file: this.name })];
    if (documents === null) return { unusable: `${this.name} is no whole snapshot` };
    for (const document of documents) new SeriesReader(this.set, document.file, null).document(document);
    return documents;
  }
}

/** What was saved by a sampling or by check, or what the probe printed. */
function isSnapshot(text: string): boolean {
  const start = text.slice(0, 512).trimStart();
  return start.startsWith('@culprit-probe 1 ') || (start.startsWith('{') && start.includes('"culprit/snapshot@1"'));
}
