import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, entry, root, scratch } from './run-cli.ts';

const files = scratch();
const at = files.path('rootfs');
const pool = files.path('pool.yaml');

beforeAll(() => {
  for (const folder of ['etc/ld.so.conf.d', 'usr/lib/x86_64-linux-gnu'])
    mkdirSync(join(at, folder), { recursive: true });
  writeFileSync(join(at, 'etc/debian_version'), '12.5\n');
  writeFileSync(join(at, 'etc/os-release'), 'ID=debian\nVERSION_ID="12"\n');
  writeFileSync(join(at, 'etc/ld.so.conf'), 'include /etc/ld.so.conf.d/*.conf\n');
  symlinkSync('usr/lib', join(at, 'lib'));
  writeFileSync(
    pool,
    [
      '# what we run on',
      'defaults: { toolkit: "1.17.8", mode: legacy }',
      'nodes:',
      '  - name: fine',
      '    driver: 570.124.06',
      '    gpu: H100',
      '  - name: bare',
      '    driver: 570.124.06',
      '    gpu: H100',
      '    mode: none',
      '  - { driver: 570.124.06, gpu: H100, mode: jit-cdi, toolkit: 1.18.1 }',
      '',
    ].join('\n'),
  );
  writeFileSync(
    files.path('Dockerfile'),
    'FROM nvidia/cuda:12.6.3-devel-ubuntu22.04\nRUN apt-get update && \\\n    apt-get install -y libcuda1\nCMD ["python3"]\n',
  );
  writeFileSync(files.path('fine.Dockerfile'), 'FROM nvidia/cuda:12.6.3-devel-ubuntu22.04\nCMD ["python3"]\n');
  writeFileSync(
    files.path('compose.yaml'),
    'services:\n  train:\n    build:\n      context: .\n  web:\n    image: nginx\n',
  );
});
afterAll(() => files.remove());

function validator(name: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  return ajv.compile(
    JSON.parse(readFileSync(join(root, 'packages/cli/schemas', `${name}.schema.json`), 'utf8')) as object,
  );
}

describe('culprit image', () => {
  it('says the answer first, then what is in the image', () => {
    const { status, out } = culprit(['image', at, '--on', 'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy']);
    expect(status).toBe(0);
    expect(out.split('\n')[0]).toMatch(/^runs: \S+ on driver 570\.124\.06, H100/);
    expect(out).toContain('debian 12');
  });

  it('takes a file of nodes, and gives the worst as exit status', () => {
    const { status, out } = culprit(['image', at, '--on', pool, '-f', 'json']);
    expect(status).toBe(1);
    const report = JSON.parse(out) as { predictions: { node?: string; mode: string; answer: string }[] };
    expect(report.predictions.map((one) => [one.node ?? null, one.mode, one.answer])).toEqual([
      ['fine', 'legacy', 'runs'],
      ['bare', 'none', 'does-not-run'],
      [null, 'jit-cdi', 'runs'],
    ]);
    const validate = validator('image');
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('gates by --fail-on', () => {
    const gate = (...args: string[]): number | null => culprit(['image', at, ...args]).status;
    expect(gate('--on', pool, '--fail-on', 'does-not-run')).toBe(1);
    expect(gate('--on', 'driver=570.124.06,gpu=H100,mode=legacy,toolkit=1.17.8', '--fail-on', 'does-not-run')).toBe(0);
    expect(gate('--on', 'gpu=H100,mode=none', '--fail-on', 'does-not-run')).toBe(1);
    expect(gate('--fail-on', 'does-not-run')).toBe(2);
  });

  it('prints for pipelines', () => {
    const junit = culprit(['image', at, '--on', pool, '--fail-on', 'does-not-run', '-f', 'junit']).out;
    expect(XMLValidator.validate(junit)).toBe(true);
    const parsed = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(junit) as {
      testsuites: { tests: string; failures: string };
    };
    expect(parsed.testsuites).toMatchObject({ tests: '3', failures: '1' });
    const sarif = JSON.parse(culprit(['image', at, '--on', pool, '-f', 'sarif']).out) as {
      runs: { results: { level: string; locations: { physicalLocation: { region: { startLine: number } } }[] }[] }[];
    };
    expect(
      sarif.runs[0]?.results.map((each) => [each.level, each.locations[0]?.physicalLocation.region.startLine]),
    ).toEqual([['error', 7]]);
    const github = culprit(['image', at, '--on', pool, '-f', 'github']).out;
    expect(github).toMatch(/^::error file=\S+pool\.yaml,line=7,title=/);
    expect(github).toContain('2 of 3 pairs');
  });

  it.each(['markdown', 'csv', 'html', 'text'])('prints many on many as %s', (format) => {
    const { out, status } = culprit(['image', at, `rootfs:${at}`, '--on', pool, '-f', format]);
    expect(status).toBe(1);
    expect(out).toContain('bare');
    if (format === 'csv') expect(out.split('\r\n')).toHaveLength(8);
    if (format === 'html') expect(out).not.toMatch(/<script|src=|href=/);
  });

  it('as JSON several are one object', () => {
    const { out } = culprit(['image', at, `rootfs:${at}`, '-f', 'json']);
    const validate = validator('images');
    validate(JSON.parse(out));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('reads what check saved, and kubectl’s nodes', () => {
    const probed = files.path('node.txt');
    writeFileSync(
      probed,
      [
        '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
        '@ proc-driver-version cat /proc/driver/nvidia/version',
        '|NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22-I3-AF03-20-3)  Tue Sep 23 09:55:41 UTC 2025',
        '@= exit=0 ms=0',
        '@culprit-end sections=1 ms=310',
        '',
      ].join('\n'),
    );
    const one = JSON.parse(culprit(['image', at, '--on', probed, '-f', 'json']).out) as {
      predictions: { on: Record<string, string>; node: string }[];
    };
    expect(one.predictions[0]).toMatchObject({ on: { driver: '580.95.05', flavour: 'open' }, node: 'node.txt' });
    const nodes = files.path('nodes.json');
    writeFileSync(
      nodes,
      JSON.stringify({
        kind: 'List',
        items: [
          {
            kind: 'Node',
            metadata: {
              name: 'n1',
              labels: { 'nvidia.com/gpu.product': 'NVIDIA-L4', 'nvidia.com/cuda.driver-version.full': '550.54.15' },
            },
          },
        ],
      }),
    );
    const two = JSON.parse(culprit(['image', at, '--on', nodes, '-f', 'json']).out) as typeof one;
    expect(two.predictions[0]).toMatchObject({ on: { driver: '550.54.15', gpu: 'NVIDIA L4' }, node: 'n1' });
  });

  it('asks the current cluster by kubectl', () => {
    const bin = files.path('kubectl-bin');
    mkdirSync(bin, { recursive: true });
    const node = {
      kind: 'Node',
      metadata: {
        name: 'gpu-1',
        labels: {
          'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
          'nvidia.com/cuda.driver-version.full': '535.183.01',
        },
      },
      status: { nodeInfo: { architecture: 'amd64', containerRuntimeVersion: 'containerd://1.7.20' } },
    };
    writeFileSync(
      join(bin, 'kubectl'),
      `#!/bin/sh\ncase "$*" in *"get node gpu-1"*) printf '%s' '${JSON.stringify(node)}';; *) echo "no $*" >&2; exit 1;; esac\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const asked = culprit(['image', at, '--on', 'node/gpu-1', '-f', 'json'], { env });
    const report = JSON.parse(asked.out) as { predictions: { on: Record<string, string>; node: string }[] };
    expect(report.predictions[0]).toMatchObject({
      node: 'gpu-1',
      on: { driver: '535.183.01', gpu: 'NVIDIA H100 80GB HBM3', platform: 'linux/amd64' },
    });
    expect(culprit(['image', at, '--on', 'node/other'], { env }).status).toBe(4);
  });

  it.each([
    [['--on', 'drver=1'], /--on: there is no key "drver"/],
    [['--on', 'missing.yaml'], /there is no such file/],
    [['--offline', '--on', 'node/x'], /--offline/],
    [['--fail-on', 'sometimes', '--on', 'gpu=H100'], /fail-on/],
  ])('%j is wrong usage', (args, message) => {
    const { status, err } = culprit(['image', at, ...args]);
    expect(status).toBe(2);
    expect(err).toMatch(message);
  });

  it('a GPU that no table has is told, and what was meant', () => {
    const { status, err } = culprit(['image', at, '--on', 'driver=535.104.05,gpu=H1000']);
    expect(status).toBe(3);
    expect(err).toMatch(/no GPU is known as H1000; did you mean .*H100/);
  });

  it('an image that is not there is no answer', () => {
    const { status, err } = culprit(['image', files.path('none.tar'), '--offline']);
    expect(status).not.toBe(0);
    expect(err).not.toBe('');
  });
});

describe('culprit image --dockerfile', () => {
  it('asks nothing of nodes: there is no image yet', () => {
    const { status, err } = culprit(['image', '--dockerfile', files.path('Dockerfile'), '--on', 'gpu=H100']);
    expect(status).toBe(2);
    expect(err).toContain('build the image');
  });

  it.each([
    ['none.Dockerfile', /none\.Dockerfile could not be read: there is no such file/],
    ['.', /could not be read: it is a folder/],
  ])('%s cannot be read, and why is said', (name, message) => {
    const { status, err } = culprit(['image', '--dockerfile', files.path(name)]);
    expect(status).toBe(4);
    expect(err).toMatch(message);
  });

  it('names file and line', () => {
    const { status, out } = culprit(['image', '--dockerfile', files.path('Dockerfile')]);
    expect(status).toBe(1);
    expect(out).toContain('image/driver-files-baked-into-image');
    expect(out).toMatch(/Dockerfile:3 /);
    expect(culprit(['image', '--dockerfile', files.path('Dockerfile'), '-f', 'github']).out).toMatch(
      /^::error file=\S+Dockerfile,line=3/,
    );
  });

  it('has nothing against a sound one', () => {
    expect(culprit(['image', '--dockerfile', files.path('fine.Dockerfile')]).status).toBe(0);
  });

  it('looks into compose files and what they build', () => {
    const { status, out } = culprit(['image', '--dockerfile', files.path('compose.yaml'), '-f', 'json']);
    expect(status).toBe(1);
    const verdict = JSON.parse(out) as { findings: { cause: string; evidence: { line: number }[] }[] };
    expect(verdict.findings.map((each) => [each.cause, each.evidence[0]?.line])).toEqual([
      ['container-started-without-gpus', 2],
    ]);
  });
});

describe('the example of a gate', () => {
  it('says that the program is not there', () => {
    const ran = spawnSync('sh', [join(root, 'examples/image-gate.sh'), 'pool.yaml', 'app.tar'], {
      env: { ...process.env, CULPRIT: 'no-such-culprit' },
      encoding: 'utf8',
    });
    expect(ran.status).toBe(4);
    expect(ran.stderr).toContain('set CULPRIT to it');
  });

  it('fails, and leaves its reports', () => {
    const folder = files.path('gate');
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin/culprit'), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, {
      mode: 0o755,
    });
    const ran = spawnSync(
      'sh',
      [join(root, 'examples/image-gate.sh'), join(root, 'examples/pool.yaml'), join(root, 'examples/app.tar')],
      {
        cwd: folder,
        env: {
          ...process.env,
          PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
          DOCKERFILE: join(root, 'examples/train.Dockerfile'),
        },
        encoding: 'utf8',
      },
    );
    expect(ran.status).toBe(1);
    expect(ran.stdout.match(/^::error /gm)).toHaveLength(3);
    expect(XMLValidator.validate(readFileSync(join(folder, 'reports/images.xml'), 'utf8'))).toBe(true);
    expect(readFileSync(join(folder, 'reports/images.md'), 'utf8')).toContain(
      '| yes, forward-compat | yes, backward | no, 804 | no, image-requirement |',
    );
  });
});
