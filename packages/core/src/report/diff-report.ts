import type { Diff } from '../compare/diff.ts';
import { diffCsv } from './diff-csv.ts';
import { diffMarkdown } from './diff-markdown.ts';
import type { DiffOptions } from './diff-text.ts';
import { diffText } from './diff-text.ts';
import { jsonReport } from './json-report.ts';

export type DiffFormat = 'text' | 'json' | 'markdown' | 'csv';

/** A comparison in one of its formats. */
export function reportDiff(diff: Diff, format: DiffFormat, options: DiffOptions): string {
  switch (format) {
    case 'text':
      return diffText(diff, options);
    case 'json':
      return jsonReport(diff);
    case 'markdown':
      return diffMarkdown(diff, options);
    case 'csv':
      return diffCsv(diff);
  }
}
