#!/usr/bin/env node
// Runs the tests against real programs of the system (tests/system), after installing from Debian what they need.
// Arguments go on to vitest. What cannot be had is named, and its tests are skipped with that reason. With --prepare it
// only installs and builds, so that several runs can go side by side afterwards.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Program that the tests call → Debian package that has it, and others that it needs. */
const wanted = {
  gzip: 'gzip',
  zstd: 'zstd',
  xz: 'xz-utils',
  bzip2: 'bzip2',
  script: 'bsdutils',
  logger: 'bsdutils',
  setpriv: 'util-linux',
  localedef: 'locales',
  time: 'time',
  dash: 'dash',
  mksh: 'mksh',
  strace: 'strace',
  buildah: 'buildah',
  busybox: 'busybox-static',
  sshd: 'openssh-server',
  'ssh-keygen': 'openssh-client',
  dockerd: 'docker.io',
  podman: 'podman',
  runc: 'runc',
  kubectl: 'kubernetes-client',
  slurmctld: 'slurmctld',
  slurmd: 'slurmd',
  sbatch: 'slurm-client',
  munged: 'munge',
  promtool: 'prometheus',
  chromium: 'chromium',
  prometheus: 'prometheus',
  'docker-registry': 'docker-registry',
  htpasswd: 'apache2-utils',
  skopeo: 'skopeo',
  containerd: 'containerd',
  ctr: 'containerd',
  umoci: 'umoci',
  openssl: 'openssl',
  curl: 'curl',
  shellcheck: 'shellcheck',
  readelf: 'binutils',
  sqlite3: 'sqlite3',
  python3: 'python3',
  'systemd-analyze': 'systemd',
  'qemu-aarch64-static': 'qemu-user-static libc6-arm64-cross',
};

const run = (command, args, options = {}) => spawnSync(command, args, { encoding: 'utf8', ...options });
const has = (name) =>
  run('sh', ['-c', `command -v ${name}`]).status === 0 &&
  (name !== 'time' || run('/usr/bin/time', ['true']).status === 0);

const reasons = {};
const missing = Object.keys(wanted).filter((name) => !has(name));
if (missing.length > 0) {
  const why = install([...new Set(missing.flatMap((name) => wanted[name].split(' ')))]);
  for (const name of missing.filter((each) => !has(each)))
    reasons[name] = `${name} is not installed: ${why ?? 'its package does not have it'}`;
}
if (has('localedef') && !/tr_TR\.utf-?8/i.test(run('locale', ['-a']).stdout ?? '')) {
  const made = run('localedef', ['-i', 'tr_TR', '-f', 'UTF-8', 'tr_TR.UTF-8']);
  if (made.status !== 0)
    reasons['tr_TR'] = `the Turkish locale cannot be made: ${(made.stderr ?? '').trim().split('\n')[0]}`;
}
for (const reason of Object.values(reasons)) console.error(`skipping: ${reason}`);

for (const script of ['build.mjs', 'build-web.mjs']) {
  const built = run(process.execPath, [join(root, 'scripts', script)], { stdio: 'inherit' });
  if (built.status !== 0) process.exit(built.status ?? 1);
}
if (process.argv.includes('--prepare')) process.exit(0);
const tested = run(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    join(root, 'vitest.system.config.ts'),
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, CULPRIT_SYSTEM_MISSING: JSON.stringify(reasons) } },
);
process.exit(tested.status ?? 1);

/** @returns why it could not be done, null where it was done */
function install(packages) {
  if (process.getuid?.() !== 0) return 'only root can install it';
  if (!has('apt-get')) return 'there is no apt-get';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-qq', '-o', 'Dpkg::Use-Pty=0', '-o', 'Acquire::Retries=2'];
  run('apt-get', [...options, 'update'], { env, stdio: ['ignore', 'ignore', 'ignore'], timeout: 180_000 });
  const done = run('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...packages], {
    env,
    timeout: 300_000,
  });
  if (done.status === 0) return null;
  return (done.stderr ?? '').trim().split('\n').at(-1) || 'apt-get failed';
}
