// Where a server or a queue takes the next piece of work.
//
// got prompt
// [job 42] started (torch backend)
// === case 7 of 12 ===
import type { Parser } from './parser.ts';

const most = 300;

const next =
  /^got prompt$|^(?:\[[^\]]{1,40}\] ?)?(?:=+ ?|-+ ?|>+ ?)?\[?(?:(?:now )?(?:starting|processing|running|launching|handling|accepted|received|dequeued) )?(?:next )?(?:job|task|request|prompt|case|workflow|experiment) #?(?=\D{0,30}\d)[\w-]{1,40}\]? {0,2}(?:=+|-+|:|of \d|\(|\.\.\.|start(?:ed|ing)?\b|received|accepted|$)/i;

/** A tag that all lines of a piece have. */
const tagged = /^\[(?:job|task|request|req|prompt|case|trial) #?([\w-]{1,40})\]/i;

/** That a piece goes well says nothing of the one before it. */
export const pieces: Parser = {
  id: 'pieces',
  literals: [
    'got prompt',
    '[job ',
    '[task ',
    '[request ',
    '[req ',
    '[prompt ',
    '[case ',
    '[trial ',
    '= case ',
    '= job ',
    '= task ',
    'job #',
    'task #',
    'case #',
    'request ',
    'starting job',
    'starting task',
    'processing job',
    'processing task',
    'running job',
    'running task',
    'running case',
    'next job',
    'next task',
    'workflow ',
    'experiment ',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    let found = 0;
    let tag: string | undefined;
    for (const line of hits) {
      if (line.prompt || line.told || line.clean.length > 1000) continue;
      const own = tagged.exec(line.clean)?.[1];
      if (own === undefined ? !next.test(line.clean.trim()) : own === tag) continue;
      tag = own ?? tag;
      sink.add('program.piece', line.number, line);
      if (++found >= most) return;
    }
  },
};
