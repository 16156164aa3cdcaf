import type { Document } from '@culprit/core/model/document';
import { readInput } from '@culprit/collect';
import { diagnose } from '@culprit/core/diagnose/diagnose';
import { recogniserOf } from '@culprit/core/diagnose/recognise';
import { parsers } from '@culprit/core/parse/parsers';
import { Condenser } from '@culprit/core/text/condense';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { usageError } from '../errors.ts';
import { version } from '../version.ts';
import type { Run } from './command.ts';

export const run: Run = async (call) => {
  if (call.positionals.length === 0 && process.stdin.isTTY) {
    throw usageError(
      'no-input',
      'there is nothing to diagnose',
      'name a file, or pipe a log: kubectl logs POD | culprit diagnose -',
    );
  }
  const names = call.positionals.length === 0 ? ['-'] : [...new Set(call.positionals)];
  const knowledge = await call.knowledge();
  const recogniser = recogniserOf(knowledge.signatures, parsers);
  const documents: Document[] = [];
  let unread = 0;
  for (const name of names) {
    const input = await readInput(name, (file) => new Condenser(recogniser, file));
    if ('documents' in input) {
      documents.push(...input.documents);
      continue;
    }
    unread++;
    const { reason, hint } = input.unreadable;
    call.output.error(`${nameOf(name)} could not be read: ${reason}`, hint);
  }
  if (documents.length === 0) return 4;
  const verdict = diagnose(documents, knowledge);
  const left = documents.flatMap((document) => document.left.map((each) => `${nameOf(document.file)}: ${each}`));
  call.output.data(
    reportVerdict(verdict, call.format as VerdictFormat, {
      knowledge,
      version,
      color: call.output.color,
      columns: call.output.columns,
      left,
    }),
  );
  if (call.format !== 'text' && call.format !== 'markdown')
    for (const each of left) call.output.note(`culprit: ${each}`);
  return worstExitStatus([exitStatusOf(verdict.status), ...(unread > 0 ? [4] : [])]);
};

function nameOf(file: string | null): string {
  return file === null || file === '-' ? 'standard input' : file;
}
