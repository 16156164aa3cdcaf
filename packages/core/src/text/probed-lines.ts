import type { Line, Origin, Scope } from '../model/document.ts';
import type { Close, Framed } from './framed.ts';

const noOrigin: Origin = {};

/** Observations that speak of the kernel below, whatever container they are taken in. */
const ofKernel: ReadonlySet<string> = new Set([
  'uname',
  'kernel',
  'kernel-cmdline',
  'proc-driver-version',
  'sys-module-version',
  'proc-driver-params',
  'modules',
  'modinfo',
  'pci-devices',
  'proc-gpu-information',
  'nvidia-smi-q',
  'kernel-log',
  'selinux',
  'secure-boot',
  'infiniband',
]);

/** Reasons for which an observation shows nothing, although there may be something. */
const unseen = /^(?:denied|timeout|unfinished|skipped)/;

/**
 * Lines of the probe's own text. Each line of an observation carries the command that a person would type to see it, so
 * that what is read at a prompt is read here as well. An observation that was not made carries none: that nothing is
 * printed then means nothing.
 */
export class ProbedLines {
  private readonly lines: Line[];
  private readonly left: Set<string>;
  /** Place of the first line of the probe's text that is read. */
  private first = 0;
  private head = -1;
  private source = '';
  private command = '';
  private foreign = false;
  private kernelSeen = false;
  private inContainer = false;
  private started = false;
  private ended = false;
  any = false;

  constructor(lines: Line[], left: Set<string>) {
    this.lines = lines;
    this.left = left;
  }

  /** An observation is open: what follows belongs to it. */
  get open(): boolean {
    return this.head >= 0;
  }

  take(number: number, column: number, text: string, framed: Framed): void {
    switch (framed.kind) {
      case 'start':
        this.finish();
        this.begin(framed.words);
        this.add(number, column, text, `@culprit-probe 1 ${framed.words}`, null, false);
        return;
      case 'open':
        if (this.open) this.close({ exit: null, ms: null, truncated: true, why: 'unfinished' });
        this.head = this.lines.length;
        this.source = framed.source;
        this.command = framed.command;
        this.add(number, column, text, framed.command, framed.command, true);
        return;
      case 'line':
        this.note(framed.text);
        this.add(number, column, text, framed.text, this.command, false);
        return;
      case 'rest':
        this.join(framed.text);
        this.add(number, column, text, '', this.command, false);
        return;
      case 'close':
        this.close(framed.close);
        this.add(number, column, text, text.trim().replace(/^(?:> ?){0,4}/, ''), null, false);
        return;
      case 'end':
        if (this.open) this.close({ exit: null, ms: null, truncated: true, why: 'unfinished' });
        this.ended = true;
        if (framed.words.includes('stopped=budget'))
          this.left.add('the probe was stopped when its time was up; what it had not looked at is not known');
        this.add(number, column, text, `@culprit-end ${framed.words}`, null, false);
        this.finish();
    }
  }

  /** A slice of a long line of the open observation. */
  push(number: number, column: number, text: string, visible: string): void {
    this.add(number, column, text, visible, this.command, false);
  }

  /** Lines are missing. */
  gap(): void {
    this.finish();
  }

  /** The text ends here. */
  finish(): void {
    if (!this.started) return;
    if (this.open) this.close({ exit: null, ms: null, truncated: true, why: 'unfinished' });
    if (!this.ended) this.left.add('the end of the probe is missing; what it saw later is not known');
    this.started = false;
    this.place();
  }

  private begin(words: string): void {
    this.started = true;
    this.any = true;
    this.ended = false;
    this.first = this.lines.length;
    this.foreign = !/(?:^| )root=[/-](?: |$)/.test(words) && / root=|^root=/.test(words);
    this.inContainer = false;
    this.kernelSeen = false;
  }

  /** What tells a container, and what tells that the kernel's own files were there. */
  private note(text: string): void {
    if (this.source === 'mountinfo' && / \/ \/ \S{1,200} .{0,60}- overlay /.test(text)) this.inContainer = true;
    if (this.source === 'machine' && /^\/(?:\.dockerenv|run\/\.containerenv)$|^KUBERNETES_SERVICE_HOST /.test(text))
      this.inContainer = true;
    if (ofKernel.has(this.source)) this.kernelSeen = true;
  }

  /** The end of an observation changes how its lines are read. */
  private close(how: Close): void {
    const from = this.head;
    this.head = -1;
    const partial = how.truncated || how.why === 'timeout' || how.why === 'unfinished';
    const missing = how.why !== null && (unseen.test(how.why) || how.why === 'absent');
    if (!partial && !missing) return;
    const printed = this.lines.length - from > 1;
    // Of a part, that something is not in it means nothing: it is what the first program of the pipe printed some of.
    const command = printed ? (this.command.split(' | ')[0] ?? '') : null;
    for (let at = from; at < this.lines.length; at++) {
      const line = this.lines[at]!;
      if (at > from) this.lines[at] = { ...line, command };
      else this.lines[at] = { ...line, command: null, prompt: false, clean: '' };
    }
    if (how.why !== null && unseen.test(how.why) && !how.why.startsWith('skipped'))
      this.left.add(`${this.source}: ${inWords(how.why)}`);
  }

  private join(rest: string): void {
    let at = this.lines.length - 1;
    // The rest of a rest belongs to the same line.
    while (at > this.head && this.lines[at]!.clean === '' && !/^(?:> ?){0,4}\|/.test(this.lines[at]!.text)) at--;
    const line = this.lines[at];
    if (line === undefined || line.clean.length > 16_384) return;
    if (at === this.head) {
      this.command += rest;
      this.lines[at] = { ...line, command: this.command, clean: this.command };
    } else this.lines[at] = { ...line, clean: line.clean + rest };
  }

  /** Says of which machine or container the lines speak, now that all of them are known. */
  private place(): void {
    const inside: Scope = this.inContainer ? 'container' : this.foreign && !this.kernelSeen ? 'image' : 'host';
    let source = '';
    for (let at = this.first; at < this.lines.length; at++) {
      const line = this.lines[at]!;
      const opened = /^(?:> ?){0,4}@ ([a-z][a-z0-9-]{0,60})(?: |$)/.exec(line.text.trimStart())?.[1];
      if (opened !== undefined) source = opened;
      const scope = ofKernel.has(source) ? 'host' : inside;
      if (line.scope !== scope) this.lines[at] = { ...line, scope };
    }
  }

  private add(
    number: number,
    column: number,
    text: string,
    clean: string,
    command: string | null,
    prompt: boolean,
  ): void {
    const index = this.lines.length;
    this.lines.push({
      index,
      number,
      column,
      text,
      clean,
      origin: noOrigin,
      told: false,
      scope: 'host',
      command,
      prompt,
    });
  }
}

function inWords(why: string): string {
  if (why === 'denied') return 'reading it is not permitted';
  if (why === 'timeout') return 'it did not come back in time';
  return 'the probe was stopped in it';
}
