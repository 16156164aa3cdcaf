import type { Verdict } from '../model/verdict.ts';
import { jsonReport } from './json-report.ts';

export interface ReportOptions {
  readonly color: boolean;
  readonly columns: number | null;
  readonly left: readonly string[];
}

export function reportVerdict(verdict: Verdict, format: string, options: ReportOptions): string {
  void format;
  void options;
  return jsonReport(verdict);
}
