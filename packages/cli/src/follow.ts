import type { Verdict } from '@culprit/core/model/verdict';
import { Follower } from '@culprit/core/diagnose/follow';
import { exitStatusOf } from '@culprit/core/report/exit-status';
import type { FollowEvent } from '@culprit/core/report/follow-report';
import { followLine, followText } from '@culprit/core/report/follow-report';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import type { Call } from './commands/command.ts';
import { usageError } from './errors.ts';
import type { FollowSource } from './follow-source.ts';
import { followSource } from './follow-source.ts';
import { jsonText } from '@culprit/core/report/json-report';
import { outputClosed } from './output.ts';
import type { ReportTarget } from './report-target.ts';
import { version } from './version.ts';

/** Nothing new for so long: what came is taken for a whole. */
const quiet = 250;
/** Looked at after so long although more keeps coming. */
const longestWait = 2000;
/** Messages that have come by often are looked at after so long. */
const laterWait = 5000;
/** Looking takes at most a tenth of the time, as long as nobody waits for it longer than `longestRest`. */
const restAfterLook = 9;
const longestRest = 2000;

/**
 * Follows a growing file or standard input: tells each finding once, when it becomes decidable, and the verdict at the
 * end of the input or at SIGINT, SIGTERM or SIGHUP.
 * @returns the exit status of the last verdict
 */
export async function follow(call: Call, target: ReportTarget): Promise<number> {
  if (call.positionals.length > 1) throw usageError('bad-value', '--follow takes one file', 'start one for each file');
  if (call.format !== 'text' && call.format !== 'json')
    throw usageError(
      'unknown-format',
      `--follow cannot print ${call.format}`,
      'formats: text, json (one object a line)',
    );
  const name = call.positionals[0] ?? '-';
  const knowledge = await call.knowledge();
  const follower = new Follower(knowledge, name);
  const redactor = target.redact ? (await import('@culprit/core/report/redact')).redactorOf([]) : null;
  const started = performance.now();
  const json = call.format === 'json';
  const shown = { color: target.color, columns: target.columns };

  const tell = (event: FollowEvent): void => {
    const place = {
      file: redactor === null ? name : redactor.text(name),
      seconds: (performance.now() - started) / 1000,
      line: follower.line,
    };
    const safe = redactor === null ? event : redactor.value(event);
    if (json) target.write(`${jsonText(followLine(safe, place))}\n`);
    else if (safe.event === 'file')
      call.output.note(followText(safe, place, { color: false, columns: null }).trimEnd());
    else target.write(followText(safe, place, shown));
  };
  const tellAll = (events: readonly FollowEvent[]): void => {
    if (events.length > 0) redactor?.learn(follower.documents());
    for (const event of events) tell(event);
  };

  const verdict = await new Promise<Verdict>((resolve, reject) => {
    let timer: NodeJS.Timeout | null = null;
    let due = Number.POSITIVE_INFINITY;
    let firstUnseen: number | null = null;
    let looked = 0;
    let cost = 0;
    let over = false;
    const source: { current: FollowSource | null } = { current: null };

    const finish = (): void => {
      if (over) return;
      over = true;
      if (timer !== null) clearTimeout(timer);
      for (const signal of signals) process.off(signal, finish);
      source.current?.stop();
      try {
        const { changes, verdict } = follower.finish();
        tellAll(changes);
        resolve(verdict);
      } catch (error) {
        reject(error);
      }
    };
    const look = (): void => {
      timer = null;
      due = Number.POSITIVE_INFINITY;
      firstUnseen = null;
      const before = performance.now();
      try {
        tellAll(follower.look());
      } catch (error) {
        over = true;
        reject(error);
        return;
      }
      looked = performance.now();
      cost = looked - before;
      if (outputClosed()) finish();
    };
    const plan = (): void => {
      const state = follower.due;
      if (state === null) return;
      const now = performance.now();
      firstUnseen ??= now;
      const wish = state === 'now' ? Math.min(now + quiet, firstUnseen + longestWait) : firstUnseen + laterWait;
      const at = Math.max(wish, looked + Math.min(cost * restAfterLook, longestRest));
      if (timer !== null && state === 'later' && due <= at) return;
      if (timer !== null) clearTimeout(timer);
      due = at;
      // A flood leaves timers no turn of their own.
      if (at <= now) look();
      else timer = setTimeout(look, at - now);
    };

    for (const signal of signals) process.on(signal, finish);
    const head = new Head(reject);
    source.current = followSource(name, {
      bytes: (bytes) => {
        const text = head.take(bytes);
        if (text === null) return;
        follower.push(text);
        plan();
      },
      file: (what) => {
        if (over) return;
        if (what === 'replaced' || what === 'truncated') {
          tellAll(follower.replace());
          head.reset();
        }
        tell({ event: 'file', what });
      },
      end: () => finish(),
      failed: (error) => {
        over = true;
        call.output.error(`${name} cannot be followed: ${error.message}`, null);
        resolve(follower.finish().verdict);
        process.exitCode = 4;
      },
    });
    if (name === '-' && process.stdin.isTTY) call.output.note('reading what you type or paste; Ctrl-D ends it');
    else if (!json)
      call.output.note(`following ${name === '-' ? 'standard input' : name}; Ctrl-C ends it with the verdict`);
  });

  if (process.exitCode === 4) return 4;
  const left: readonly string[] = [];
  if (json) tell({ event: 'verdict', verdict });
  else {
    redactor?.learn(follower.documents());
    target.write(
      `\n${reportVerdict(redactor === null ? verdict : redactor.verdict(verdict), 'text', { knowledge, version, left, ...shown })}`,
    );
  }
  target.done(redactor?.masked() ?? null);
  return exitStatusOf(verdict.status);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Looks at the first bytes: only text can be followed; UTF-16 is decoded. */
class Head {
  private readonly reject: (error: Error) => void;
  private decoder: InstanceType<typeof TextDecoder> | null = null;
  private decided = false;

  constructor(reject: (error: Error) => void) {
    this.reject = reject;
  }

  reset(): void {
    this.decided = false;
    this.decoder = null;
  }

  /** @returns UTF-8, null where it is no text */
  take(bytes: Uint8Array): Uint8Array | null {
    if (!this.decided) {
      this.decided = true;
      const [a, b] = bytes;
      if ((a === 0x1f && b === 0x8b) || (a === 0x28 && b === 0xb5)) {
        this.reject(
          usageError(
            'bad-value',
            'a compressed file does not grow line by line',
            'diagnose it without --follow, or pipe what zcat or zstdcat prints',
          ),
        );
        return null;
      }
      if (a === 0xff && b === 0xfe) this.decoder = new TextDecoder('utf-16le');
      else if (a === 0xfe && b === 0xff) this.decoder = new TextDecoder('utf-16be');
    }
    if (this.decoder === null) return bytes;
    return Buffer.from(this.decoder.decode(bytes, { stream: true }), 'utf8');
  }
}
