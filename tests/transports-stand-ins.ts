// Stand-ins of docker, podman, nerdctl, crictl, kubectl, srun, scontrol, sacct and ssh: small shell programs in a folder
// that alone is in PATH. They write down with which arguments they were called, answer with recorded exchanges (texts that
// the real programs print), and run the command they are given on this machine.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const head = `#!/bin/sh
{ printf '%s' "\${0##*/}"; for a; do printf '\\037%s' "$a"; done; printf '\\n'; } >>"$STAND/calls"
answer() { # a recorded exchange: NAME.out, NAME.err, NAME.exit
  [ -e "$STAND/$1.err" ] && cat "$STAND/$1.err" >&2
  [ -e "$STAND/$1.out" ] && cat "$STAND/$1.out"
  [ -e "$STAND/$1.exit" ] && exit "$(cat "$STAND/$1.exit")"
  [ -e "$STAND/$1.out" ] || [ -e "$STAND/$1.err" ]
}
`;

const programs: Readonly<Record<string, string>> = {
  docker: `
name=\${0##*/}
case $1 in
  inspect) answer "$name-inspect" && exit 0; echo "Error: No such container: $6" >&2; exit 1 ;;
  exec) if [ -e "$STAND/$name-exec.err" ]; then answer "$name-exec"; fi; shift 3; exec "$@" ;;
esac`,
  kubectl: `
verb= kind= mark=
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    --env=*) mark=\${1##*=} ;;
    -i | --*) ;;
    -c) shift ;;
    *) if [ -z "$verb" ]; then verb=$1; elif [ -z "$kind" ]; then kind=$1; fi ;;
  esac
  shift
done
case $verb in
  get) answer "get-\${kind%%.*}" && exit 0; echo "Error from server (NotFound): $kind \\"x\\" not found" >&2; exit 1 ;;
  exec) if [ -e "$STAND/exec.err" ]; then answer exec; fi; exec "$@" ;;
  debug)
    # The pod that it makes carries the mark of its arguments; it is there before a test hears of it.
    [ -e "$STAND/debug-pods" ] && sed "s/MARK/$mark/" "$STAND/debug-pods" >"$STAND/get-pods.out"
    : >"$STAND/debugged"
    if [ -e "$STAND/debug.err" ]; then answer debug; fi; exec "$@" ;;
  delete) answer delete; rm -f "$STAND/debugged" ;;
  logs) answer logs ;;
esac`,
  srun: `
if [ -e "$STAND/srun.err" ]; then answer srun; fi
while [ $# -gt 0 ]; do case $1 in -*) shift ;; *) break ;; esac; done
exec "$@"`,
  scontrol: `answer "scontrol-$3" && exit 0; echo "Node $4 not found"; exit 1`,
  sacct: `answer sacct && exit 0; exit 1`,
  ssh: `
if [ -e "$STAND/ssh.err" ]; then answer ssh; fi
while [ "$1" != -- ]; do shift; done
shift 2
[ -e "$STAND/greeting" ] && cat "$STAND/greeting"
exec sh -c "$*"`,
};

const same: Readonly<Record<string, string>> = { podman: 'docker', nerdctl: 'docker', crictl: 'docker' };
/** What the stand-ins, the probe and the tests call beside them. */
const tools = ['sh', 'cat', 'sleep', 'head', 'tr', 'rm', 'date', 'ls', 'grep', 'sed', 'tail', 'uname', 'df', 'seq'];

/** A folder of stand-ins. */
export interface StandIns {
  /** Lets a program answer with a recorded exchange. */
  record(name: string, answer: { readonly out?: string; readonly err?: string; readonly exit?: number }): void;
  /** Writes a file that a stand-in looks for. */
  put(name: string, text: string): void;
  has(name: string): boolean;
  /** Calls since the start: program and arguments. */
  calls(program?: string): readonly (readonly string[])[];
  remove(): void;
}

/** Puts the named programs in PATH and takes everything else out of it but a few tools. */
export function standIns(names: readonly string[]): StandIns {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-stand-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of names) {
    writeFileSync(join(bin, name), head + programs[same[name] ?? name]!);
    chmodSync(join(bin, name), 0o755);
  }
  for (const tool of tools) {
    const found = ['/usr/bin', '/bin'].map((place) => join(place, tool)).find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(bin, tool));
  }
  const before = { path: process.env['PATH'], stand: process.env['STAND'] };
  process.env['PATH'] = bin;
  process.env['STAND'] = folder;
  return {
    record(name, { out, err, exit }) {
      if (out !== undefined) writeFileSync(join(folder, `${name}.out`), out);
      if (err !== undefined) writeFileSync(join(folder, `${name}.err`), err);
      if (exit !== undefined) writeFileSync(join(folder, `${name}.exit`), String(exit));
    },
    put: (name, text) => {
      writeFileSync(join(folder, name), text);
    },
    has: (name) => existsSync(join(folder, name)),
    calls(program) {
      const file = join(folder, 'calls');
      if (!existsSync(file)) return [];
      const all = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('\u001F'));
      return program === undefined ? all : all.filter((call) => call[0] === program);
    },
    remove() {
      process.env['PATH'] = before.path;
      if (before.stand === undefined) delete process.env['STAND'];
      else process.env['STAND'] = before.stand;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
