import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratch } from '../run-cli.ts';
import { lacks, mismatch, shell } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);
const cwd = folder.path('');
beforeAll(() => {
  chmodSync(cwd, 0o755);
  writeFileSync(folder.path('job.log'), mismatch);
});

describe('a terminal', () => {
  const terminal = (command: string, env: Record<string, string> = {}): string =>
    shell(`script -qec '${command}' /dev/null`, { cwd, env: { TERM: 'xterm-256color', NO_COLOR: '', ...env } }).out;

  it.skipIf(lacks('script') !== null)(
    'gets colour, a file does not, and NO_COLOR and dumb terminals are respected',
    () => {
      expect(terminal('$culprit diagnose job.log')).toContain('\u001b[1;31m');
      expect(terminal('$culprit diagnose job.log', { NO_COLOR: '1' })).not.toContain('\u001b[1;31m');
      expect(terminal('$culprit diagnose job.log', { NO_COLOR: '' })).toContain('\u001b[1;31m');
      expect(terminal('$culprit diagnose job.log', { TERM: 'dumb' })).not.toContain('\u001b[1;31m');
      expect(terminal('$culprit diagnose --color never job.log')).not.toContain('\u001b[1;31m');
      expect(terminal('$culprit diagnose job.log | cat')).not.toContain('\u001b[1;31m');
    },
  );

  it.skipIf(lacks('script') !== null)('is kept in its width', () => {
    writeFileSync(
      folder.path('wide.log'),
      `${'w'.repeat(400)} Failed to initialize NVML: Driver/library version mismatch ${'w'.repeat(400)}\n`,
    );
    const out = terminal('stty cols 80; $culprit diagnose --color never wide.log');
    const quoted = out.split(/\r?\n/).filter((line) => / \| /.test(line));
    expect(quoted.length).toBeGreaterThan(0);
    for (const line of quoted) expect(line.length).toBeLessThanOrEqual(80);
    expect(quoted.join('')).toContain('Driver/library version mismatch');
  });

  it.skipIf(lacks('script') !== null)('without input is told what to give instead of waiting', () => {
    expect(terminal('$culprit diagnose')).toContain('there is nothing to diagnose');
  });
});

describe('standard input', () => {
  it.each([
    ['a file', '$culprit diagnose - < job.log', 1],
    ['a pipe', 'cat job.log | $culprit diagnose', 1],
    ['a slow pipe', '(head -n 2 job.log; sleep 1; tail -n +3 job.log) | $culprit diagnose -', 1],
    ['one byte at a time', 'dd if=job.log bs=1 status=none | $culprit diagnose -', 1],
    ['nothing', '$culprit diagnose - < /dev/null', 3],
    ['a named pipe', 'mkfifo fifo; cat job.log > fifo & $culprit diagnose fifo', 1],
    ['process substitution', '$culprit diagnose <(cat job.log)', 1],
    ['a closed standard input', '$culprit diagnose - <&-', 3],
  ])('%s', (_, script, status) => {
    const ran = shell(script, { cwd });
    expect(ran.err).not.toContain('    at ');
    expect(ran.status).toBe(status);
  });
});

describe('standard output', () => {
  it('that is full is an error of the tool, said in a sentence', () => {
    const ran = shell('$culprit diagnose job.log > /dev/full', { cwd });
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('standard output cannot be written');
    expect(ran.err).not.toContain('    at ');
  });

  it('that closes early is none', () => {
    const ran = shell(
      'for i in $(seq 300); do cat job.log; done | $culprit diagnose -f json - | head -c 10; echo " ${PIPESTATUS[1]}"',
      { cwd },
    );
    expect(ran.err).toBe('');
    expect(ran.out).toMatch(/^\{\n {2}"schem 1/);
  });
});

describe('permissions', () => {
  it.skipIf(process.getuid?.() !== 0 || lacks('setpriv') !== null)(
    'another user is told what may not be read, and gets the rest',
    () => {
      writeFileSync(folder.path('secret.log'), mismatch);
      chmodSync(folder.path('secret.log'), 0o600);
      const ran = shell(
        'cp -r $(dirname $(dirname $entry)) pkg; chmod -R a+rX pkg; chmod 644 job.log; setpriv --reuid=65534 --regid=65534 --clear-groups $node pkg/bin/culprit.js diagnose -f json secret.log job.log',
        { cwd },
      );
      expect(ran.err).toContain('secret.log could not be read: reading it is not permitted (EACCES)');
      expect(JSON.parse(ran.out)).toMatchObject({
        layer: 'driver',
        unknown: [
          { missing: [expect.stringContaining('secret.log')] },
          ...(JSON.parse(ran.out) as { unknown: unknown[] }).unknown.slice(1),
        ],
      });
      expect(ran.status).toBe(4);
    },
  );

  it('an empty folder, a broken link and a circle of links are named', () => {
    mkdirSync(folder.path('dir'), { recursive: true });
    const ran = shell('ln -sf nowhere broken; ln -sf b a; ln -sf a b; $culprit diagnose dir broken a', { cwd });
    expect(ran.status).toBe(4);
    expect(ran.err).toMatch(/no text is in this folder[\s\S]*ENOENT[\s\S]*ELOOP/);
    expect(ran.out).toBe('');
  });
});

describe('the environment', () => {
  it('does not change the answer: locale, time zone, home', () => {
    const run = (env: Record<string, string>): string => shell('$culprit diagnose -f json job.log', { cwd, env }).out;
    const plain = run({ LC_ALL: 'C' });
    expect(JSON.parse(plain)).toMatchObject({ status: 'fault' });
    expect(run({ LC_ALL: 'C.UTF-8', TZ: 'Asia/Tokyo', HOME: '/nonexistent' })).toBe(plain);
    if (lacks('localedef', 'tr_TR') === null) expect(run({ LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' })).toBe(plain);
  });

  it('works with few file descriptors and writes nothing', () => {
    const ran = shell('ulimit -n 64; ulimit -f 0; $culprit diagnose job.log', { cwd });
    expect(ran.status).toBe(1);
  });
});

describe('lines of a real logger', () => {
  it.skipIf(lacks('logger') !== null)('are taken apart', async () => {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const received = once(socket, 'message') as Promise<[Buffer]>;
    const text = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.';
    spawn('logger', [
      '--rfc3164',
      '--udp',
      '--server',
      '127.0.0.1',
      '--port',
      String(socket.address().port),
      '--tag',
      'kernel',
      text,
    ]);
    const [message] = await received;
    socket.close();
    // What a syslog daemon writes to its file: the packet without its priority.
    const line = message.toString('utf8').replace(/^<\d+>/, '');
    expect(line).toMatch(/^[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S+ kernel: NVRM/);
    const ran = shell('$culprit diagnose -f json -', { input: line });
    expect(JSON.parse(ran.out)).toMatchObject({ layer: 'hardware', cause: 'gpu-fell-off-bus-power' });
  });
});
