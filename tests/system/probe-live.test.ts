import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '@culprit/core/diagnose/diagnose';
import { createDocument } from '@culprit/core/text/document';
import { root, scratch } from '../run-cli.ts';
import { lacks } from './tools.ts';

// The probe on this machine with other kernel views and devices in place of its own, on real packages of Debian, and on
// real containers.

const script = join(root, 'probe/probe.sh');
const folder = scratch();
afterAll(folder.remove);
const notRoot = process.getuid?.() === 0 ? null : 'only root can mount';

/** The text of one observation with its end. */
const section = (text: string, source: string): string =>
  new RegExp(`^@ ${source} .*\n(?:\\|.*\n)*@= .*`, 'm').exec(text)?.[0] ?? '';

describe.skipIf((notRoot ?? lacks('unshare')) !== null)('nvidia-smi is run', () => {
  const bin = folder.path('bin');
  beforeAll(() => {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'nvidia-smi'), '#!/bin/sh\necho "Driver Version : 580.95.05"\n');
    chmodSync(join(bin, 'nvidia-smi'), 0o755);
  });
  /** A probe of this machine with a loaded module and device nodes; a process of the given name runs beside it. */
  const probe = (name: string | null, initstate: string): string => {
    const module = folder.path('module');
    mkdirSync(join(module, 'nvidia'), { recursive: true });
    writeFileSync(join(module, 'nvidia/initstate'), `${initstate}\n`);
    const prepare =
      `d=${folder.path('dev')} && mkdir -p $d && cp -a /dev/null /dev/zero $d && touch $d/nvidiactl $d/nvidia0 && mount --bind $d /dev && ` +
      `mount --bind ${module} /sys/module`;
    if (name !== null) copyFileSync('/bin/sleep', folder.path(name));
    const beside = name === null ? null : spawn(folder.path(name), ['30'], { stdio: 'ignore' });
    const ran = spawnSync('unshare', ['-m', 'sh', '-c', `${prepare} && PATH=${bin}:$PATH exec sh ${script}`], {
      encoding: 'utf8',
    });
    beside?.kill('SIGKILL');
    return section(ran.stdout, 'nvidia-smi-q');
  };
  const ran = '@ nvidia-smi-q nvidia-smi -q\n|Driver Version : 580.95.05\n@= exit=0 ';
  const left = /exit=skipped ms=\d+ why=rollout$/;

  it.each<[string, string | null, string, boolean]>([
    ['where the module is loaded and has nodes', null, 'live', true],
    ['where the process of a driver container lives on beside its driver', 'nvidia-driver', 'live', true],
    ['not while a module is loaded', 'modprobe', 'live', false],
    ['not while the driver is being built', 'dkms', 'live', false],
    ['not while an installer runs, whose name the kernel cuts off', 'nvidia-installer', 'live', false],
    ['not while the module goes', null, 'going', false],
    ['not while the module comes', null, 'coming', false],
  ])('%s', (_, name, initstate, expected) => {
    const text = probe(name, initstate);
    if (expected) expect(text).toContain(ran);
    else expect(text).toMatch(left);
  });
});

describe.skipIf((notRoot ?? lacks('setpriv', 'unshare')) !== null)('a user without rights', () => {
  const asNobody = (args: string, prepare = 'true'): string => {
    const copy = folder.path('probe.sh');
    copyFileSync(script, copy);
    chmodSync(folder.path(''), 0o755);
    const drop = 'setpriv --reuid 65534 --regid 65534 --clear-groups';
    return spawnSync('unshare', ['-m', 'sh', '-c', `${prepare} && exec ${drop} sh ${copy} ${args}`], {
      encoding: 'utf8',
    }).stdout;
  };
  const denied = /^@= exit=denied /m;

  it('is told what belongs to others, and nothing of it is taken for absent', () => {
    const text = asNobody('');
    expect(section(text, 'foreign-processes')).toMatch(denied);
    expect(section(asNobody('', 'mount -t proc -o hidepid=2 proc /proc'), 'foreign-processes')).toMatch(denied);
    // A log that may be read says more than nothing at all.
    if (!denied.test(section(text, 'kernel-log'))) expect(section(text, 'kernel-log')).toMatch(/exit=0/);
    const { verdict } = examine([createDocument(text)]);
    expect(verdict.findings).toEqual([]);
    expect(verdict.unknown.map((each) => each.ask)).toContain('ls /proc/*/fd');
  });

  it('learns nothing false of a process of somebody else', () => {
    const beside = spawn('sleep', ['30'], { stdio: 'ignore' });
    const text = asNobody(`--pid ${String(beside.pid)}`);
    beside.kill('SIGKILL');
    for (const source of ['os-release', 'environment', 'ldconfig', 'library-files', 'toolkits', 'device-nodes', 'maps'])
      expect(section(text, source)).toMatch(denied);
    expect(section(text, 'limits')).toContain('|Max locked memory');
    expect(section(text, 'proc-driver-version')).toMatch(/exit=(?:absent|0) /);
  });
});

const packages = ['libcuda1', 'libnvidia-ml1', 'nvidia-smi'];

/** Real packages of Debian's non-free component, unpacked as their scripts leave them; why not, where they cannot be had. */
function debianRoot(made: string): string | null {
  const apt = folder.path('apt');
  for (const each of ['lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(apt, each), { recursive: true });
  const own = /^(?:URIs: |deb (?:\[[^\]]*\] )?)(http\S+)/m.exec(
    ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources']
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n'),
  );
  if (own === null) return 'no package source is set up here';
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  writeFileSync(join(apt, 'sources.list'), `deb ${own[1]!} ${release} contrib non-free\n`);
  const options = [
    `Dir::Etc::SourceList=${apt}/sources.list`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${apt}/lists`,
    `Dir::Cache=${apt}/cache`,
  ].flatMap((each) => ['-o', each]);
  for (const args of [['update'], ['download', ...packages]]) {
    const ran = spawnSync('apt-get', ['-qq', ...options, ...args], { cwd: join(apt, 'debs'), encoding: 'utf8' });
    if (ran.status !== 0) return `apt-get ${args[0]!} fails: ${ran.stderr.trim().split('\n')[0] ?? ''}`;
  }
  const shell = `
    set -e
    cd ${apt}/debs
    mkdir -p ${made}/var/lib/dpkg ${made}/etc/alternatives ${made}/usr/bin ${made}/usr/lib/x86_64-linux-gnu
    for deb in *.deb; do
      dpkg -x "$deb" ${made}
      dpkg-deb -f "$deb" Package Version Architecture | sed 's/^Version/Status: install ok installed\\nVersion/' >>${made}/var/lib/dpkg/status
      echo >>${made}/var/lib/dpkg/status
    done
    cp /etc/os-release ${made}/etc/
    echo /usr/lib/x86_64-linux-gnu >${made}/etc/ld.so.conf
    for file in libcuda.so.1 libnvidia-ml.so.1; do
      ln -s /etc/alternatives/nvidia--$file-x86_64-linux-gnu ${made}/usr/lib/x86_64-linux-gnu/$file
      ln -s /usr/lib/x86_64-linux-gnu/nvidia/current/$file ${made}/etc/alternatives/nvidia--$file-x86_64-linux-gnu
    done
    ldconfig -r ${made} -n /usr/lib/x86_64-linux-gnu/nvidia/current
    ldconfig -r ${made}`;
  const ran = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
  return ran.status === 0 ? null : ran.stderr.trim();
}

const file = '/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.535.261.03';
const cached = /\|\tlibcuda\.so\.1 \(libc6,x86-64\) => \/usr\/lib\/x86_64-linux-gnu\/libcuda\.so\.1$/m;

describe.skipIf((notRoot ?? lacks('apt-get', 'dpkg', 'ldconfig')) !== null)('the driver libraries of Debian', () => {
  const made = folder.path('debian');
  let reason: string | null = null;
  beforeAll(() => {
    reason = process.arch === 'x64' ? debianRoot(made) : 'the packages are for x86-64';
    if (reason !== null) console.warn(`skipping the driver libraries of Debian: ${reason}`);
  });
  const probe = (...args: readonly string[]): string => spawnSync('sh', [script, ...args], { encoding: 'utf8' }).stdout;

  it('are found through their alternatives and the cache that the real ldconfig wrote', (context) => {
    if (reason !== null) return context.skip(reason);
    const text = probe('--root', made);
    expect(text).toMatch(cached);
    const { verdict, store } = examine([createDocument(text)]);
    expect(store.all('driver.library').map((fact) => fact.value)).toContain('535.261.03');
    expect(store.all('loader.loads').map((fact) => fact.value)).toContainEqual(
      expect.objectContaining({ soname: 'libcuda.so.1', path: file, kind: 'driver', by: 'ld.so.cache', losers: [] }),
    );
    expect(verdict.findings).toEqual([]);
  });

  it('are not enough where a GPU is on the bus and no module is loaded', (context) => {
    if (reason !== null) return context.skip(reason);
    const device = join(made, 'sys/bus/pci/devices/0000:19:00.0');
    mkdirSync(device, { recursive: true });
    mkdirSync(join(made, 'proc'), { recursive: true });
    for (const [name, value] of [
      ['vendor', '0x10de'],
      ['device', '0x2330'],
      ['class', '0x030200'],
    ] as const)
      writeFileSync(join(device, name), `${value}\n`);
    writeFileSync(join(made, 'proc/modules'), 'ext4 983040 1 - Live 0x0000000000000000\n');
    expect(examine([createDocument(probe('--root', made))]).verdict).toMatchObject({
      status: 'fault',
      cause: 'host-driver-not-loaded',
      certainty: 'proved',
    });
    spawnSync('rm', ['-rf', join(made, 'sys'), join(made, 'proc')]);
  });

  it.skipIf(lacks('buildah', 'busybox') !== null)(
    'are seen in a real container, through its root and its process',
    async (context) => {
      if (reason !== null) return context.skip(reason);
      const base = folder.path('image');
      cpSync(made, base, { recursive: true, verbatimSymlinks: true });
      const busybox = spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).stdout.trim();
      const libraries = [...String(spawnSync('ldd', [busybox]).stdout).matchAll(/\/\S+/g)].map(([path]) => path);
      for (const [from, to] of [
        [busybox, '/bin/busybox'] as const,
        ...libraries.map((path) => [path, path] as const),
      ]) {
        mkdirSync(join(base, dirname(to)), { recursive: true });
        cpSync(from, join(base, to), { dereference: true });
      }
      mkdirSync(join(base, 'usr/local/cuda-12.2/lib64'), { recursive: true });
      writeFileSync(join(base, 'usr/local/cuda-12.2/lib64/libcudart.so.12.2.140'), 'x');
      symlinkSync('libcudart.so.12.2.140', join(base, 'usr/local/cuda-12.2/lib64/libcudart.so.12'));
      symlinkSync('/usr/local/cuda-12.2', join(base, 'etc/alternatives/cuda'));
      symlinkSync('/etc/alternatives/cuda', join(base, 'usr/local/cuda'));
      const store = ['--storage-driver', 'vfs', '--root', folder.path('store'), '--runroot', folder.path('run')];
      const buildah = (...args: readonly string[]): string => {
        const ran = spawnSync('buildah', [...store, ...args], { encoding: 'utf8' });
        if (ran.status !== 0) throw new Error(ran.stderr);
        return ran.stdout.trim();
      };
      const name = buildah('from', 'scratch');
      buildah('copy', '-q', name, base, '/');
      buildah('config', '--env', 'LD_LIBRARY_PATH=/usr/local/cuda/lib64', '--env', 'NVIDIA_VISIBLE_DEVICES=all', name);
      const mounted = buildah('mount', name);
      const loads = (text: string): readonly unknown[] =>
        examine([createDocument(text)])
          .store.all('loader.loads')
          .map((fact) => fact.value);
      expect(loads(probe('--root', mounted))).toContainEqual(
        expect.objectContaining({ soname: 'libcuda.so.1', path: file, by: 'ld.so.cache' }),
      );
      const sleeper = spawn(
        'buildah',
        [...store, 'run', '--isolation', 'chroot', name, '--', '/bin/busybox', 'sleep', '77'],
        {
          stdio: 'ignore',
        },
      );
      let pid = '';
      for (let tries = 0; tries < 50 && pid === ''; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        pid =
          spawnSync('pgrep', ['-fx', '/bin/busybox sleep 77'], { encoding: 'utf8' }).stdout.trim().split('\n')[0] ?? '';
      }
      const text = probe('--pid', pid);
      sleeper.kill('SIGKILL');
      spawnSync('kill', ['-9', pid]);
      expect(text).toMatch(cached);
      expect(section(text, 'environment')).toContain('|NVIDIA_VISIBLE_DEVICES=all');
      // Absolute links of the container lead to its own files, not to those of this machine.
      expect(loads(text)).toContainEqual(
        expect.objectContaining({
          soname: 'libcudart.so.12',
          path: '/usr/local/cuda-12.2/lib64/libcudart.so.12.2.140',
          by: 'LD_LIBRARY_PATH',
        }),
      );
      expect(text.split('\n').filter((line) => line.startsWith('|') && line.includes(`/proc/${pid}/root`))).toEqual([]);
      buildah('rm', name);
    },
  );
});
