import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../run-cli.ts';
import { lacks } from './tools.ts';

// A real Prometheus scrapes exporters of this test, in the text of dcgm-exporter: one whose GPUs work, one whose GPUs only
// look busy, and one that is down.

const missing = lacks('prometheus', 'openssl', 'htpasswd');
if (missing !== null) console.warn(`skipping Prometheus: ${missing}`);

interface Shape {
  readonly host: string;
  readonly sm: number;
  readonly power: number;
  readonly pod: string;
}

function exporter({ host, sm, power, pod }: Shape): Server {
  return createServer((_request, response) => {
    const lines = [0, 1].flatMap((gpu) => {
      const labels = `gpu="${gpu}",UUID="GPU-${host}-${gpu}",pci_bus_id="00000000:${gpu}9:00.0",device="nvidia${gpu}",modelName="NVIDIA H100 80GB HBM3",Hostname="${host}",DCGM_FI_DRIVER_VERSION="580.95.05",container="main",namespace="ml",pod="${pod}-${gpu}"`;
      const wobble = Math.sin(Date.now() / 700 + gpu);
      return Object.entries({
        DCGM_FI_DEV_GPU_UTIL: 99,
        DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0.97,
        DCGM_FI_PROF_SM_ACTIVE: sm + wobble * 0.01,
        DCGM_FI_PROF_SM_OCCUPANCY: sm / 2,
        DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: sm / 2,
        DCGM_FI_PROF_DRAM_ACTIVE: sm / 3,
        DCGM_FI_DEV_POWER_USAGE: power + wobble * 12,
        DCGM_FI_DEV_POWER_MGMT_LIMIT: 700,
        DCGM_FI_DEV_FB_USED: 60_000,
        DCGM_FI_PROF_PCIE_TX_BYTES: 2e7,
        DCGM_FI_PROF_PCIE_RX_BYTES: 3e7,
      }).map(([name, value]) => `# TYPE ${name} gauge\n${name}{${labels}} ${value}`);
    });
    response.end(`${lines.join('\n')}\n`);
  });
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function culprit(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry, ...args], { env: { ...process.env, ...env } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('close', (status) => resolve({ status, out, err }));
  });
}

describe.skipIf(missing !== null)('a real Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-prometheus-'));
  const file = (name: string): string => join(folder, name);
  const servers = [
    exporter({ host: 'idle-1', sm: 0.08, power: 160, pod: 'small' }),
    exporter({ host: 'good-1', sm: 0.9, power: 640, pod: 'train' }),
  ];
  let prometheus: ChildProcess;
  let url = '';
  let said = '';
  const util = (...args: readonly string[]): Promise<Ran> =>
    culprit(
      [
        'util',
        '--prometheus',
        url,
        '--since',
        '14s',
        '--tls-ca',
        file('ca.pem'),
        '--user',
        'me',
        '--format',
        'json',
        ...args,
      ],
      { CULPRIT_PROMETHEUS_PASSWORD: 'right horse' },
    );

  beforeAll(async () => {
    const ports = await Promise.all(servers.map(listening));
    // Two ports that nothing listens at afterwards.
    const spare = [createServer(), createServer()];
    const [own, closed] = await Promise.all(spare.map(listening));
    for (const server of spare) server.close();
    const openssl = (...args: readonly string[]): void => {
      execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    };
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      'key.pem',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=x',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    );
    const hash = execFileSync('htpasswd', ['-nbBC', '4', 'me', 'right horse'], { encoding: 'utf8' }).trim().slice(3);
    writeFileSync(
      file('web.yml'),
      `tls_server_config: {cert_file: ca.pem, key_file: key.pem}\nbasic_auth_users: {me: '${hash}'}\n`,
    );
    writeFileSync(
      file('prometheus.yml'),
      [
        'global: {scrape_interval: 1s, scrape_timeout: 1s}',
        'scrape_configs:',
        '- job_name: dcgm-exporter',
        '  honor_labels: true',
        '  static_configs:',
        ...ports.map((port) => `  - targets: ['127.0.0.1:${port}']`),
        '- job_name: dcgm-exporter-renamed',
        '  static_configs:',
        `  - targets: ['127.0.0.1:${ports[1]!}']`,
        '    labels: {pod: dcgm-exporter-x7k2p, namespace: gpu-operator, cluster: second}',
        '- job_name: dcgm-down',
        '  static_configs:',
        `  - targets: ['127.0.0.1:${closed}']`,
        '    labels: {node: down-1}',
        '',
      ].join('\n'),
    );
    url = `https://127.0.0.1:${own}`;
    prometheus = spawn('prometheus', [
      `--config.file=${file('prometheus.yml')}`,
      `--web.config.file=${file('web.yml')}`,
      `--storage.tsdb.path=${file('data')}`,
      `--web.listen-address=127.0.0.1:${own}`,
    ]);
    prometheus.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const end = performance.now() + 60_000;
    while (!said.includes('Server is ready') && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 200));
    await new Promise((resolve) => setTimeout(resolve, 18_000));
  });

  afterAll(() => {
    prometheus.kill();
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const verdict = ({ out, err }: Ran): Record<string, unknown> => {
    expect(out, `${err}\n${said.slice(-1500)}`).toMatch(/^\{/);
    return JSON.parse(out) as Record<string, unknown>;
  };

  it('tells the GPUs that only look busy', async () => {
    const ran = await util('--node', 'idle-1');
    expect(verdict(ran)).toMatchObject({ status: 'performance', cause: 'busy-label-idle-sms' });
    expect(ran.status).toBe(1);
    expect(ran.err).toMatch(/a point every 1 s/);
  });

  it('accuses nobody where the GPUs work', async () => {
    const ran = await util('--node', 'good-1', '--selector', 'job="dcgm-exporter"');
    expect(verdict(ran)).toMatchObject({ status: 'ok' });
    expect(ran.status).toBe(0);
  });

  it('finds a workload whose labels were renamed, and one GPU of it', async () => {
    const ran = await util('--pod', 'ml/train-1', '--selector', 'cluster="second"');
    expect(verdict(ran)).toMatchObject({ status: 'ok' });
    const facts = verdict(ran)['facts'] as readonly { readonly id: string }[];
    expect(facts.some(({ id }) => id.startsWith('util.gpu1'))).toBe(true);
    expect(facts.some(({ id }) => id.startsWith('util.gpu0'))).toBe(false);
  });

  it('recognises an exporter that is down', async () => {
    const ran = await util('--node', 'down-1');
    expect(verdict(ran)).toMatchObject({ status: 'cannot-tell', cause: 'exporter-absent' });
    expect(ran.status).toBe(3);
  });

  it('names the hosts it has where none matches', async () => {
    const ran = await util('--node', 'nowhere');
    expect(ran.status).toBe(2);
    expect(ran.err).toMatch(/good-1, idle-1|idle-1, good-1/);
  });

  it('does not get in without the password, and the password stands nowhere', async () => {
    const args = ['util', '--prometheus', url, '--tls-ca', file('ca.pem'), '--user', 'me'];
    const ran = await culprit(args, { CULPRIT_PROMETHEUS_PASSWORD: 'wrong horse' });
    expect(ran.status).toBe(4);
    expect(ran.err).toMatch(/HTTP 401/);
    expect(ran.err + ran.out).not.toMatch(/wrong horse|d3Jvbmc/);
    expect((await culprit(['util', '--prometheus', url])).err).toMatch(/--tls-ca/);
  });

  it('compares two periods, and says which one is empty', async () => {
    const compared = (...periods: readonly string[]): Promise<Ran> =>
      culprit(
        [
          'util',
          '--prometheus',
          url,
          '--tls-ca',
          file('ca.pem'),
          '--user',
          'me',
          '--format',
          'json',
          '--node',
          'good-1',
          '--selector',
          'job="dcgm-exporter"',
          '--compare',
          ...periods,
        ],
        { CULPRIT_PROMETHEUS_PASSWORD: 'right horse' },
      );
    const [ran, empty] = await Promise.all([
      compared('now-17s..now-9s', 'now-9s..now'),
      compared('2020-01-01T10:00Z..11:00', 'now-9s..now'),
    ]);
    const found = verdict(ran);
    expect(found).toMatchObject({ by: 'period', gone: [], added: [] });
    const sides = found['sides'] as readonly { readonly gpus: number; readonly samples: number }[];
    for (const { gpus, samples } of sides) expect([gpus, samples >= 8]).toEqual([2, true]);
    expect([0, 3]).toContain(ran.status);
    expect([empty.status, empty.out]).toEqual([4, '']);
    expect(empty.err).toMatch(/the period 2020-01-01T10:00Z\.\.11:00/);
  });

  it('reads hours by the second in pages', async () => {
    const ran = await util('--since', '8h', '--step', '1s', '--node', 'good-1');
    expect(ran.err).not.toMatch(/exceeded maximum resolution/);
    expect([0, 3]).toContain(ran.status);
  });
});
