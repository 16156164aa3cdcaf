// The unit and the alert rules of examples/gate, as systemd and Prometheus see them.
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry, root, scratch } from '../run-cli.ts';
import { lacks, shell } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);
const example = (name: string): string => readFileSync(join(root, 'examples/gate', name), 'utf8');

beforeAll(() => {
  writeFileSync(folder.path('culprit'), `#!/bin/sh\nexec ${process.execPath} ${entry} "$@"\n`);
  chmodSync(folder.path('culprit'), 0o755);
  const service = example('culprit-check.service')
    .replaceAll('/usr/local/sbin/culprit', folder.path('culprit'))
    .replaceAll('/var/lib/node_exporter/textfile', folder.path(''));
  writeFileSync(folder.path('culprit-check.service'), service);
  writeFileSync(folder.path('culprit-check.timer'), example('culprit-check.timer'));
});

const noSystemd = lacks('systemd-analyze');
describe.skipIf(noSystemd !== null)(`systemd${noSystemd === null ? '' : ` (skipped: ${noSystemd})`}`, () => {
  it('takes the unit and the timer without a word', () => {
    const ran = shell(
      `systemd-analyze verify --man=no ${folder.path('culprit-check.service')} ${folder.path('culprit-check.timer')}`,
    );
    expect(ran).toEqual({ status: 0, out: '', err: '' });
  });

  it('the command of the unit writes the metrics, whole', () => {
    const command = /^ExecStart=(.*)$/m.exec(readFileSync(folder.path('culprit-check.service'), 'utf8'))![1]!;
    expect(shell(command.replace('--budget 2', '--budget 20'))).toMatchObject({ status: 0, err: '' });
    expect(readFileSync(folder.path('culprit.prom'), 'utf8')).toMatch(/^culprit_check_timestamp_seconds \d{10}$/m);
    expect(readdirSync(folder.path('')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

const noProm = lacks('promtool');
describe.skipIf(noProm !== null)(`Prometheus${noProm === null ? '' : ` (skipped: ${noProm})`}`, () => {
  it('takes the metrics and the alert rules', () => {
    const metrics = shell('$culprit check --gate --budget 20 --format prometheus | promtool check metrics');
    expect(metrics).toEqual({ status: 0, out: '', err: '' });
    expect(shell(`promtool check rules ${join(root, 'examples/gate/alerts.yaml')}`).status).toBe(0);
  });
});

const noShellcheck = lacks('shellcheck');
it.skipIf(noShellcheck !== null)(
  `shellcheck takes the scripts${noShellcheck === null ? '' : ` (skipped: ${noShellcheck})`}`,
  () => {
    expect(shell(`shellcheck ${join(root, 'examples/gate')}/*.sh`)).toEqual({ status: 0, out: '', err: '' });
  },
);
