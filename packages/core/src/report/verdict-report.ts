import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import { githubReport } from './github-report.ts';
import { htmlReport } from './html-report.ts';
import { verdictJson } from './json-report.ts';
import { junitReport } from './junit-report.ts';
import { lookupOf } from './lookup.ts';
import { markdownReport } from './markdown-report.ts';
import { sarifReport } from './sarif-report.ts';
import { textReport } from './text-report.ts';

export interface ReportOptions {
  /** The tables that the verdict rests on: they tell the rules' sources. */
  readonly knowledge: Knowledge;
  /** Release of the program that reports. */
  readonly version: string;
  readonly color: boolean;
  /** Columns of the terminal; null where there is none. */
  readonly columns: number | null;
  /** What of the input was not read or not kept, in words. */
  readonly left: readonly string[];
}

export type VerdictFormat = 'text' | 'json' | 'markdown' | 'junit' | 'sarif' | 'github' | 'html';

/** Formats that a verdict can be printed in. */
export const verdictFormats: readonly VerdictFormat[] = [
  'text',
  'json',
  'markdown',
  'junit',
  'sarif',
  'github',
  'html',
];

/** A verdict in one of its formats. */
export function reportVerdict(verdict: Verdict, format: VerdictFormat, options: ReportOptions): string {
  switch (format) {
    case 'text':
      return textReport(verdict, lookupOf(options.knowledge, verdict), options);
    case 'markdown':
      return markdownReport(verdict, lookupOf(options.knowledge, verdict), options);
    case 'sarif':
      return sarifReport(verdict, lookupOf(options.knowledge, verdict), options);
    case 'html':
      return htmlReport(verdict, lookupOf(options.knowledge, verdict), options);
    case 'json':
      return verdictJson(verdict);
    case 'junit':
      return junitReport(verdict);
    case 'github':
      return githubReport(verdict);
  }
}
