import type { Parser } from './parser.ts';

/*
 *   # all_reduce never returns
 *   no log output for 40 minutes, GPU at 100 %
 */

/** A remark in brackets or a key that was pressed, about output that does not come. */
const silent =
  /^[[(<{#.^C -]{0,8}(?:no|nothing|without|zero) (?:any |further |more |other |new )?(?:output|lines?|logs?|happens|progress|printed|prints)?\b.{0,60}\b(?:after|for|since|in|until|at all)\b.{0,40}(?:\d|hours?|minutes?|then|here|this|\^C)/i;
/** Words that say so in any remark. */
const sits =
  /^(?:\^C|[[(<{#.-])(?:.{0,80}\bwithout (?:any |further |more )?output\b|.{0,40}\bno (?:more|further|new) output\b|.{0,40}\b(?:just )?sits (?:there|here)\b|.{0,40}\bnothing (?:more )?happens\b)/i;
/** The same without a time, where nobody says that lines were left out. */
const ends =
  /^[[(<{#.-]{1,4} ?(?:nothing (?:else|more|further)|no (?:more|further|other|new) (?:output|lines?|log lines?))\b(?!.{0,120}\b(?:omitted|snip|trimmed|truncated|brevity|relevant|interesting|wrong|unusual|suspicious|in (?:the )?(?:log|dmesg|journal))\b)/i;
const still =
  /\b(?:hangs?|hung|hanging|stuck|still waiting|never returns?|does not return|stands? still|no (?:log )?(?:output|progress|heartbeat)(?: for \d)?|deadlock(?:ed|s)?|frozen|freezes|unresponsive|not responding)\b/i;
/** Words for a log or a job that stands where it stood, also in a question. */
const unchanged =
  /\b(?:has(?:n'?t| not)|haven'?t|have not) (?:written|logged|printed|produced|moved|advanced|progressed|output|updated)\b.{0,60}\b(?:for|since|in)\b.{0,30}(?:\d|\bhours?\b|\bminutes?\b|\blast night\b|\byesterday\b)/i;
const notSo =
  /\b(?:may|might|could|can|would|to avoid|avoids?|prevents?|if|fix(?:es|ed)?|no longer|does not|doesn't|never) (?:\w{1,12} ){0,2}(?:hang|deadlock|freez|be stuck|get stuck)/i;

/** Somebody, or the program, says that the work stands still. */
export const hang: Parser = {
  id: 'hang',
  literals: [
    'hang',
    'hung',
    'stuck',
    'still waiting',
    'never return',
    'not return',
    'stand still',
    'stands still',
    'no progress',
    'no heartbeat',
    'no output',
    "hasn't ",
    'has not ',
    "haven't ",
    'have not ',
    'no further',
    'no more',
    'nothing ',
    'without output',
    'no new ',
    'without any output',
    'sits there',
    'sits here',
    'no log output',
    'deadlock',
    'frozen',
    'freezes',
    'unresponsive',
    'not responding',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      const text = line.clean.slice(0, 400);
      if (!line.prompt && unchanged.test(text)) sink.add('program.hang', true, line);
      else if (
        !line.prompt &&
        !text.includes('?') &&
        !notSo.test(text) &&
        (still.test(text) || silent.test(text) || sits.test(text) || ends.test(text))
      )
        sink.add('program.hang', true, line);
    }
  },
};

/** `info cuda kernels` of cuda-gdb: the kernel that runs now. */
export const runningKernel: Parser = {
  id: 'cuda-gdb',
  literals: [' active '],
  keep: { before: 2, after: 4 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      const match =
        /^\*?\s{1,8}\d{1,6}\s{1,12}\S{1,8}\s{1,12}\d{1,4}\s{1,12}\d{1,12}\s{1,12}Active\b.{0,200}\)\s{1,12}(?<kernel>[A-Za-z_][\w:<>]{0,120})\(/.exec(
          line.clean,
        );
      const kernel = match?.groups?.['kernel'];
      if (kernel !== undefined) sink.add('program.running-kernel', kernel, line);
    }
  },
};
