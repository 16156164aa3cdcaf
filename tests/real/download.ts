import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where downloads go: CULPRIT_REAL_DIR keeps them for the next run, otherwise a folder that `clean` removes.
 */
const kept = process.env['CULPRIT_REAL_DIR'];
const folder = kept ?? mkdtempSync(join(tmpdir(), 'culprit-real-'));

export function clean(): void {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

/** A file or folder, or why it cannot be had. */
export type Download = { readonly path: string } | { readonly missing: string };

function run(command: string, args: readonly string[], cwd: string): string | null {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 600_000 });
  if (ran.error !== undefined) return `${command} cannot be run: ${ran.error.message}`;
  const last = (ran.stderr.trim() || ran.stdout.trim()).split('\n').at(-1);
  return ran.status === 0 ? null : `${command} failed: ${last}`;
}

/** Makes a folder once: `make` fills it and says why it cannot. */
function once(name: string, make: (path: string) => string | null): Download {
  const path = join(folder, name.replace(/[^\w.+-]/g, '_'));
  if (existsSync(path)) return { path };
  const work = `${path}.part`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const why = make(work);
  if (why !== null) {
    console.error(`skipping: ${name} cannot be downloaded: ${why}`);
    return { missing: why };
  }
  spawnSync('mv', [work, path]);
  return { path };
}

/** A wheel of the Python Package Index, for x86-64 Linux. */
export function wheel(requirement: string): Download {
  const got = once(requirement, (path) =>
    run(
      'pip',
      [
        'download',
        '--quiet',
        '--no-deps',
        '--only-binary',
        ':all:',
        ...['manylinux2014_x86_64', 'manylinux_2_27_x86_64', 'manylinux_2_17_x86_64', 'manylinux1_x86_64'].flatMap(
          (one) => ['--platform', one],
        ),
        '--dest',
        path,
        requirement,
      ],
      path,
    ),
  );
  if ('missing' in got) return got;
  const name = readdirSync(got.path).find((one) => one.endsWith('.whl'));
  return name === undefined ? { missing: 'no wheel came' } : { path: join(got.path, name) };
}

/** A package of the npm registry, unpacked. */
export function npmPackage(name: string): Download {
  return once(name, (path) => {
    const why = run('npm', ['pack', '--silent', name], path);
    const file = readdirSync(path).find((one) => one.endsWith('.tgz'));
    return why ?? (file === undefined ? 'no archive came' : run('tar', ['-xzf', file], path));
  });
}

/** A package of Debian's non-free component, unpacked; its index goes to a folder of its own. */
export function debianPackage(name: string): Download {
  return once(name, (path) => {
    mkdirSync(join(path, 'lists/partial'), { recursive: true });
    mkdirSync(join(path, 'archives/partial'), { recursive: true });
    writeFileSync(
      join(path, 'sources.list'),
      'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm non-free\n',
    );
    const options = [
      ['Dir::Etc::sourcelist', join(path, 'sources.list')],
      ['Dir::Etc::sourceparts', '/dev/null'],
      ['Dir::State::lists', join(path, 'lists')],
      ['Dir::Cache', path],
    ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    const why = run('apt-get', [...options, 'update'], path) ?? run('apt-get', [...options, 'download', name], path);
    const file = readdirSync(path).find((one) => one.endsWith('.deb'));
    return why ?? (file === undefined ? 'no package came' : run('dpkg', ['-x', file, 'root'], path));
  });
}

/** The wheel of a program, unpacked. */
export function unpackedWheel(requirement: string): Download {
  const got = wheel(requirement);
  if ('missing' in got) return got;
  return once(`${requirement}.unpacked`, (path) => run('python3', ['-m', 'zipfile', '-e', got.path, path], path));
}

/** A file of the web. */
export function webFile(url: string): Download {
  const name = url.split('/').at(-1)!;
  const got = once(url.split('/').slice(-2).join('_'), (path) =>
    run('curl', ['--fail', '--silent', '--show-error', '--location', '--max-time', '300', '--output', name, url], path),
  );
  return 'missing' in got ? got : { path: join(got.path, name) };
}
