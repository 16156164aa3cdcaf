import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { culprit, entry, root, scratch } from './run-cli.ts';

const folder = scratch();
afterAll(folder.remove);

const illegal = 'RuntimeError: CUDA error: an illegal memory access was encountered\n';
const fallen = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n';

interface Line {
  readonly event: string;
  readonly what?: string;
  readonly line: number;
  readonly finding?: {
    readonly cause: string;
    readonly evidence: readonly { readonly file: string; readonly line: number }[];
  };
  readonly verdict?: { readonly cause: string | null };
}

/** A process that follows; `until` waits for what it prints. */
class Following {
  readonly child: ChildProcess;
  private out = '';
  private err = '';

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [entry, 'diagnose', '--follow', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.stdout!.on('data', (chunk: Buffer) => (this.out += chunk.toString('utf8')));
    this.child.stderr!.on('data', (chunk: Buffer) => (this.err += chunk.toString('utf8')));
  }

  get lines(): readonly Line[] {
    return this.out
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line);
  }

  get text(): string {
    return this.out;
  }

  get errors(): string {
    return this.err;
  }

  async until(what: (lines: readonly Line[]) => boolean): Promise<readonly Line[]> {
    for (let i = 0; i < 600; i++) {
      if (what(this.lines)) return this.lines;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    throw new Error(`it did not come; it printed:\n${this.out}\n${this.err}`);
  }

  /** Waits for something on standard error. */
  async untilNote(words: string): Promise<void> {
    for (let i = 0; i < 600 && !this.err.includes(words); i++) await new Promise((resolve) => setTimeout(resolve, 40));
    expect(this.err).toContain(words);
  }

  async end(signal?: NodeJS.Signals): Promise<number | null> {
    const closed = new Promise<number | null>((resolve) => this.child.on('close', resolve));
    if (this.child.exitCode !== null) return this.child.exitCode;
    if (signal === undefined) this.child.stdin!.end();
    else this.child.kill(signal);
    return closed;
  }
}

const started: Following[] = [];
const following = (...args: readonly string[]): Following => {
  const made = new Following(args);
  started.push(made);
  return made;
};
afterEach(() => {
  for (const each of started.splice(0)) each.child.kill('SIGKILL');
});
const found =
  (cause: string) =>
  (lines: readonly Line[]): boolean =>
    lines.some((each) => each.event === 'finding' && each.finding?.cause === cause);
const happened =
  (what: string) =>
  (lines: readonly Line[]): boolean =>
    lines.some((each) => each.what === what);

describe('culprit diagnose --follow', { timeout: 60_000 }, () => {
  it('waits for a file, tells a finding while it grows, and the verdict at SIGTERM', async () => {
    const path = folder.path('grows.log');
    const run = following('-f', 'json', path);
    await run.until(happened('waiting'));
    writeFileSync(path, 'step 1\n');
    await run.until(happened('opened'));
    // A line in two parts is one line.
    appendFileSync(path, illegal.slice(0, 20));
    appendFileSync(path, illegal.slice(20));
    const lines = await run.until(found('illegal-access-app-bug'));
    expect(lines.find((each) => each.event === 'finding')!.finding!.evidence[0]).toMatchObject({ file: path, line: 2 });
    expect(await run.end('SIGTERM')).toBe(1);
    expect(run.lines.at(-1)).toMatchObject({ event: 'verdict', verdict: { cause: 'illegal-access-app-bug' } });
    expect(run.lines.filter((each) => each.event === 'finding')).toHaveLength(1);
  });

  it('goes on in the new file after a rotation by rename', async () => {
    const path = folder.path('rotated.log');
    writeFileSync(path, `one\n${illegal}`);
    const run = following('-f', 'json', path);
    await run.until(found('illegal-access-app-bug'));
    appendFileSync(path, 'the last words of the old file\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, fallen);
    const lines = await run.until(found('gpu-fell-off-bus-power'));
    expect(happened('replaced')(lines)).toBe(true);
    expect(lines.find((each) => each.finding?.cause === 'gpu-fell-off-bus-power')!.finding!.evidence[0]!.line).toBe(1);
    expect(await run.end('SIGINT')).toBe(1);
  });

  it('starts anew in a file that is cut, also when it has grown again at once', async () => {
    const path = folder.path('cut.log');
    writeFileSync(path, 'row\n'.repeat(100));
    const run = following('-f', 'json', path);
    await run.untilNote('');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    truncateSync(path);
    writeFileSync(path, `${'other words\n'.repeat(200)}${fallen}`);
    const lines = await run.until(found('gpu-fell-off-bus-power'));
    expect(happened('truncated')(lines)).toBe(true);
    expect(lines.find((each) => each.event === 'finding')!.finding!.evidence[0]!.line).toBe(201);
    await run.end('SIGTERM');
  });

  it('reads a pipe with pauses, and ends with it', async () => {
    const run = following('-f', 'json', '-');
    run.child.stdin!.write('row\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    run.child.stdin!.write(illegal);
    await run.until(found('illegal-access-app-bug'));
    run.child.stdin!.write('row');
    expect(await run.end()).toBe(1);
    expect(run.lines.at(-1)).toMatchObject({ event: 'verdict', line: 3 });
  });

  it('prints a compact block for a reader, then the verdict', async () => {
    const run = following('-');
    run.child.stdin!.write(`row\n${fallen}`);
    for (let i = 0; i < 500 && !run.text.includes('hardware/'); i++)
      await new Promise((resolve) => setTimeout(resolve, 40));
    expect(run.text).toMatch(
      /^\+\d+\.\ds fault in the hardware, the operator acts: .*\n {4}hardware\/gpu-fell-off-bus-power, proved\n {4}<stdin>:2 \| NVRM/,
    );
    expect(await run.end()).toBe(1);
    expect(run.text).toContain('The fix, in this order');
    expect(run.errors).toContain('following standard input');
  });

  it('says 3 at the end of an input that says nothing, 0 of a healthy one', () => {
    expect(culprit(['diagnose', '--follow', '-'], { input: 'row\n' }).status).toBe(3);
    expect(culprit(['diagnose', '-F', '-q', '-'], { input: '>>> torch.cuda.is_available()\nTrue\n' })).toMatchObject({
      status: 0,
      err: '',
    });
  });

  it('uses next to no processor while nothing comes', async () => {
    const path = folder.path('still.log');
    writeFileSync(path, illegal);
    const run = following('-f', 'json', path);
    await run.until(found('illegal-access-app-bug'));
    if (process.platform !== 'linux') return;
    const ticks = (): number => {
      const fields = readFileSync(`/proc/${run.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return Number(fields[11]) + Number(fields[12]);
    };
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = ticks();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    // A tick is 10 ms: 2 % of one processor.
    expect(ticks() - before).toBeLessThanOrEqual(6);
    await run.end('SIGTERM');
  });

  it.each([
    [['--follow', 'a', 'b'], '--follow takes one file'],
    [['--follow', '-f', 'sarif', 'a'], 'cannot print sarif'],
    [['--follow', '--share', 'a'], '--share prints Markdown of its own'],
    [['--redact', '--no-redact', '-'], 'cannot both be'],
  ])('%j is refused', (args, words) => {
    const ran = culprit(['diagnose', ...args]);
    expect(ran.status).toBe(2);
    expect(ran.err).toContain(words);
  });

  it('prints lines that fit the published schema', async () => {
    const schema = JSON.parse(readFileSync(join(root, 'packages/cli/schemas/follow.schema.json'), 'utf8')) as object;
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    const fits = ajv.compile(schema);
    const path = folder.path('schema.log');
    const run = following('-f', 'json', path);
    await run.until(happened('waiting'));
    writeFileSync(path, illegal);
    await run.until(found('illegal-access-app-bug'));
    renameSync(path, `${path}.1`);
    await run.until(happened('gone'));
    writeFileSync(path, fallen);
    await run.until(found('gpu-fell-off-bus-power'));
    await run.end('SIGTERM');
    expect(run.lines.length).toBeGreaterThanOrEqual(6);
    for (const line of run.lines) {
      fits(line);
      expect(fits.errors ?? []).toEqual([]);
    }
  });

  it('redacts what it writes to a file', async () => {
    const out = folder.path('followed.txt');
    const run = following('-o', out, '-');
    run.child.stdin!.write(`Nov 30 07:00:00 knut7 kernel: ${fallen}`);
    expect(await run.end()).toBe(1);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('host-1');
    expect(text).not.toContain('knut7');
  });

  it('refuses a folder', () => {
    const ran = culprit(['diagnose', '--follow', folder.path('')]);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('EISDIR');
  });
});
