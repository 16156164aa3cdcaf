// Observations that are no run of the probe, in the probe's own framing (probe/README.md), so that all input takes one road.
import type { Ran } from './run.ts';
import type { Probed } from './transport.ts';

export interface Section {
  /** `kubectl-pod`, `scontrol-node`. */
  readonly source: string;
  /** What a person would type to see the same. */
  readonly command: string;
  readonly text: string;
  /** Exit status, or why there is none. */
  readonly exit: number | 'absent' | 'denied' | 'timeout';
  readonly ms: number;
  readonly truncated?: boolean;
}

const begin = '@culprit-probe ';

/** The section of a program that was run. */
export function sectionOf(source: string, command: string, ran: Ran, text: string = ran.stdout): Section {
  return {
    source,
    command,
    text: ran.exit === 0 ? text : `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${ran.stderr}`,
    exit: ran.ended === 'missing' || ran.ended === 'not-run' ? 'absent' : (ran.exit ?? 'timeout'),
    ms: ran.ms,
    truncated: ran.ended === 'too-much',
  };
}

function framed(section: Section): string {
  const { source, command, text, exit, ms, truncated } = section;
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const one = command.replaceAll(/[\0-\x1F\x7F]/g, ' ').slice(0, 1000);
  return [
    `@ ${source} ${one}`,
    ...lines.map((line) => `|${line}`),
    `@= exit=${exit} ms=${ms}${truncated === true ? ' truncated=1' : ''}`,
    '',
  ].join('\n');
}

/**
 * Joins sections with the text of a probe: they stand at its beginning, in the same frame.
 * @param probe text of a probe, empty where none was run
 */
export function withSections(probe: string, sections: readonly Section[]): string {
  const made = sections.map(framed).join('');
  const start = probe.indexOf(begin);
  const end = start < 0 ? -1 : probe.indexOf('\n', start);
  if (end >= 0) return `${probe.slice(0, end + 1)}${made}${probe.slice(end + 1)}`;
  if (sections.length === 0) return probe;
  const now = new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
  const ms = sections.reduce((sum, section) => sum + section.ms, 0);
  return `${begin}1 ${now} root=- pid=- gate=no\n${made}@culprit-end sections=${sections.length} ms=${ms}\n`;
}

/**
 * What a run of the probe gave. What stands before its first line was printed by something else (a greeting of a login
 * shell): it is kept with the errors.
 * @param failure says what a run that did not end well means
 */
export function probedOf(ran: Ran, failure: (ran: Ran) => string): Probed {
  const start = ran.stdout.indexOf(begin);
  const before = start < 0 ? ran.stdout : ran.stdout.slice(0, start);
  const text = start < 0 ? '' : ran.stdout.slice(start);
  const whole = /^@culprit-end /m.test(text.slice(-2000));
  const good = text !== '' && whole && ran.ended === 'exit' && ran.exit === 0;
  return {
    text,
    stderr: [ran.stderr, before.slice(0, 4096)].filter((each) => each !== '').join('\n'),
    exit: ran.exit,
    failure: good ? null : cut(ran, text, whole, failure),
    ms: ran.ms,
  };
}

function cut(ran: Ran, text: string, whole: boolean, failure: (ran: Ran) => string): string {
  if (text === '') return failure(ran);
  if (ran.ended === 'too-much') return 'the probe printed more than 64 MiB; the rest was cut';
  if (ran.ended === 'timeout')
    return `the probe did not end within ${seconds(ran.ms)}; what it had printed until then is used`;
  if (!whole) return `the probe was cut off: ${failure(ran)}`;
  return `the probe ended with exit status ${ran.exit ?? 'unknown'}`;
}

/** `1.5 s` */
export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** The result where nothing could be run. */
export function failed(failure: string, ms = 0, stderr = ''): Probed {
  return { text: '', stderr, exit: null, failure, ms };
}
