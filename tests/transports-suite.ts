// What every transport keeps, whoever carries it. Run with stand-ins in `npm test`, with real programs in `npm run
// test:system`.
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../packages/collect/src/transports/index.ts';

/** The real probe. */
export const probeScript: string = readFileSync(join(import.meta.dirname, '../probe/probe.sh'), 'utf8');

const first = "printf '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\\n'\n";
const last = "printf '@culprit-end sections=1 ms=1\\n'\n";
const echo = `${first}printf '@ arguments echo\\n'\nfor a; do printf '|%s\\n' "$a"; done\nprintf '@= exit=0 ms=0\\n'\n${last}`;

/** A transport under test. */
export interface Suited {
  readonly make: () => Promise<Transport> | Transport;
  /** Arguments that the transport gives the probe by itself. */
  readonly own?: readonly string[];
  /** True where a process that hangs on the other side ends with its limit too. */
  readonly killsThere?: boolean;
  /** False where the real probe cannot run: the stand-in's folders are not the target's. */
  readonly real?: boolean;
  readonly limitMs?: number;
  /** Limit of a probe that hangs. */
  readonly hangMs?: number;
  /** False where moving 64 MiB takes long and another test does it. */
  readonly much?: boolean;
  /** Only the first tests: the same code as another one runs, with another program. */
  readonly brief?: boolean;
}

/** The tests. */
export function transportSuite(
  name: string,
  {
    make,
    own = [],
    killsThere = true,
    real = true,
    limitMs = 20_000,
    hangMs = 1000,
    much = true,
    brief = false,
  }: Suited,
): void {
  describe(`${name}, as every transport`, () => {
    it('hands over arguments unchanged and brings back the whole text', async () => {
      const args = ['--budget', '2', '--root', '/mnt/image-1.2_3'];
      const probed = await (await make()).probe(echo, args, limitMs);
      expect(probed.failure).toBeNull();
      expect(probed.exit).toBe(0);
      expect(probed.text.startsWith('@culprit-probe 1 ')).toBe(true);
      expect(probed.text).toMatch(/\n@culprit-end sections=1 ms=1\n$/);
      const section = /@ arguments echo\n([\s\S]*?)@= exit=0/.exec(probed.text)![1];
      expect(section).toBe([...own, ...args].map((arg) => `|${arg}\n`).join(''));
    });

    it.runIf(real && !brief)('runs the real probe', async () => {
      const probed = await (await make()).probe(probeScript, ['--budget', '8'], limitMs);
      expect(probed.failure).toBeNull();
      expect(probed.text).toMatch(/^@culprit-end sections=\d+/m);
      expect(probed.text).toMatch(/^@ (?:uname|os-release) /m);
      expect(probed.ms).toBeLessThan(limitMs);
    });

    if (brief) return;

    it('keeps standard error', async () => {
      const probed = await (await make()).probe(`echo 'a remark' >&2\n${echo}`, [], limitMs);
      expect(probed.stderr).toContain('a remark');
      expect(probed.failure).toBeNull();
    });

    it('says that a probe failed, and with what', async () => {
      const probed = await (
        await make()
      ).probe("echo 'probe.sh: --pid: no such process: 99999' >&2; exit 2", [], limitMs);
      expect(probed.failure).toContain('no such process: 99999');
      expect(probed.text === '' || !probed.text.includes('@ arguments')).toBe(true);
    });

    it('keeps what a probe printed that was cut off, and says so', async () => {
      const probed = await (
        await make()
      ).probe(`${first}printf '@ here echo\\n|a line\\n'; sleep 0.5; kill -9 $$`, [], limitMs);
      expect(probed.text).toContain('|a line');
      expect(probed.failure).toMatch(/cut off|exit status/);
    });

    it('takes nothing for the probe that was printed before it', async () => {
      const probed = await (await make()).probe(`printf 'Welcome!\\n'\n${echo}`, [], limitMs);
      expect(probed.text.startsWith('@culprit-probe 1 ')).toBe(true);
      expect(probed.stderr).toContain('Welcome!');
    });

    it('ends at its limit', async () => {
      const mark = `${61_000 + Math.floor(Math.random() * 900)}.${randomUUID().replaceAll(/\D/g, '').slice(0, 6)}`;
      const limit = Math.min(limitMs, hangMs);
      const began = performance.now();
      const probed = await (await make()).probe(`${first}sleep ${mark}\n${last}`, [], limit);
      expect(performance.now() - began).toBeLessThan(limit + 9000);
      expect(probed.failure).toMatch(/within|time limit/);
      if (killsThere) expect(running(mark)).toEqual([]);
    });

    it.runIf(much)('bounds what comes back', async () => {
      const probed = await (
        await make()
      ).probe(`${first}printf '@ much head\\n|'; head -c 70000000 /dev/zero | tr '\\0' x`, [], 60_000);
      expect(probed.failure).toContain('64 MiB');
      expect(probed.text.length).toBeLessThanOrEqual(64 * 1024 * 1024 + 100_000);
    });

    it('does not mind a probe that does not read all of its input', async () => {
      const probed = await (await make()).probe(`${echo}exit 0\n${'# padding\n'.repeat(40_000)}`, [], limitMs);
      expect(probed.failure).toBeNull();
    });
  });
}

/** Processes with a word in their command line. */
function running(word: string): readonly string[] {
  return processes().filter((line) => line.includes(word));
}

function processes(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    });
}
