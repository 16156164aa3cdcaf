import { spawnSync } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, root, scratch } from './run-cli.ts';

const folder = scratch();
afterAll(folder.remove);

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function npm(args: readonly string[], cwd: string): string {
  const ran = spawnSync('npm', args, { cwd, encoding: 'utf8', timeout: 120_000 });
  if (ran.status !== 0) throw new Error(`npm ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

describe('the package', () => {
  let packed: Packed;
  const home = folder.path('home');
  const installed = join(home, 'node_modules/culprit');

  beforeAll(() => {
    const answer = npm(['pack', '--json', '--pack-destination', folder.path('')], join(root, 'packages/cli'));
    packed = (JSON.parse(answer.slice(answer.indexOf('['))) as Packed[])[0]!;
    npm(
      ['install', '--offline', '--no-audit', '--no-fund', '--prefix', home, folder.path(packed.filename)],
      folder.path(''),
    );
  }, 120_000);

  it('holds the program, its schemas and its licence, and nothing else', () => {
    const paths = packed.files.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'bin/culprit.js',
        'dist/main.js',
        'dist/licenses.txt',
        'schemas/verdict.schema.json',
        'web/index.html',
        'LICENSE',
        'package.json',
      ]),
    );
    const odd = paths.filter(
      (path) =>
        !/^(?:bin\/(?:culprit\.js|load\.js|package\.json)|dist\/[\w.-]+\.(?:js|json|txt|wasm)|web\/index\.html|web\/assets\/[\w.-]+\.(?:js|css|wasm)|schemas\/[\w-]+\.schema\.json|LICENSE|README\.md|package\.json|dist\/build\.stamp)$/.test(
          path,
        ),
    );
    expect(odd).toEqual([]);
    // Half a megabyte of it is SQLite, and a third of it the page.
    expect(packed.size).toBeLessThan(4_500_000);
  });

  it('needs no other package', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest['dependencies']).toBeUndefined();
    expect(manifest['peerDependencies']).toBeUndefined();
    expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['culprit']);
    for (const name of readdirSync(join(installed, 'dist')).filter((each) => each.endsWith('.js'))) {
      const code = readFileSync(join(installed, 'dist', name), 'utf8');
      const imports = [...code.matchAll(/\brequire\((['"`])([^'"`]{1,200})\1\)/g)].map((match) => match[2]!);
      expect(
        imports.filter((each) => !each.startsWith('./') && !isBuiltin(each)),
        name,
      ).toEqual([]);
    }
  });

  it('runs with Node alone, from any folder, with an empty environment', () => {
    const bin = join(home, 'node_modules/.bin/culprit');
    expect(existsSync(bin)).toBe(true);
    const ran = spawnSync(process.execPath, [bin, 'diagnose', '--format', 'json', '-'], {
      cwd: '/',
      env: {},
      input: 'Failed to initialize NVML: Driver/library version mismatch\n',
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe('');
    expect((JSON.parse(ran.stdout) as { schema: string }).schema).toBe('culprit/verdict@1');
    expect(ran.status).toBe(1);
    for (const args of [
      ['explain', 'driver/kmod-userspace-mismatch-after-upgrade'],
      ['knowledge'],
      ['explain', 'xid', '79'],
    ]) {
      expect(spawnSync(process.execPath, [bin, ...args], { cwd: '/', env: {}, encoding: 'utf8' }).status).toBe(0);
    }
  });

  it('says the same as the clone', () => {
    const input = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n';
    const bin = join(home, 'node_modules/.bin/culprit');
    const there = spawnSync(process.execPath, [bin, 'diagnose', '-f', 'json', '-'], { input, encoding: 'utf8' });
    expect(there.stdout).toBe(culprit(['diagnose', '-f', 'json', '-'], { input }).out);
  });

  it('does not load the schema library or other heavy parts at start', () => {
    const ran = spawnSync(
      process.execPath,
      ['--require', join(root, 'tests/loaded.cjs'), join(installed, 'bin/culprit.js'), 'diagnose', '-f', 'json', '-'],
      {
        input: 'CUDA error: out of memory\n',
        encoding: 'utf8',
      },
    );
    const loaded = ran.stderr
      .split('\n')
      .filter((line) => line.startsWith('loaded ') && line.includes('/culprit/'))
      .map((line) => line.slice(7));
    expect(loaded.length).toBeGreaterThan(0);
    const bytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(loaded.filter((path) => /schemas|override|zod/.test(path))).toEqual([]);
    expect(bytes).toBeLessThan(2_400_000);
  });
});

describe('the clone', () => {
  it('runs by npx without a network', () => {
    const ran = spawnSync('npx', ['--no-install', 'culprit', '--version'], { cwd: root, encoding: 'utf8' });
    expect(ran.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
