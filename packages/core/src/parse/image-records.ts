// What `culprit image` reads of the layers of an image, one record a line. The words at the end tell the layer and the
// instruction that brought the thing.
//
// image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true
// image variable name=NVIDIA_REQUIRE_CUDA value="cuda>=12.4 brand=tesla,driver>=535,driver<536"
// image libcuda kind=baked version=535.104.05 path=/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05 layer=3 made-by="RUN apt-get install -y libnvidia-compute-535"
// image library name=cudnn version=9.1.0 path=/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0 soname=libcudnn.so.9 wins=false
// image package name=torch version=2.7.0+cu128 environment=/opt/venv manager=pip cuda=12.8 by=version.py
import type { FactValue } from '../model/facts.ts';
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';

type Values = ReadonlyMap<string, string>;

const record = /^image ([a-z-]{3,20}) (?=[a-z-]{1,20}=|ngcScript=)/;
const word = /([A-Za-z-]{1,20})=(?:"((?:[^"\\]|\\.){0,2000})"|([^\s"]{0,1000}))(?: |$)/y;

/** The names and values of a record. */
function valuesOf(text: string, from: number): Values {
  const values = new Map<string, string>();
  word.lastIndex = from;
  for (let match = word.exec(text); match !== null && values.size < 40; match = word.exec(text)) {
    const [, name, quoted, plain] = match;
    values.set(name!, quoted === undefined ? (plain ?? '') : unquoted(quoted));
  }
  return values;
}

function unquoted(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

function oneOf<T extends string>(value: string | undefined, known: readonly T[]): T | null {
  return known.find((each) => each === value) ?? null;
}

const libcudaKinds = ['stub', 'compat', 'baked', 'ghost'] as const;
const managers = ['pip', 'conda', 'dpkg', 'rpm', 'apk'] as const;
const hostKinds = [
  'driver-library',
  'driver-tool',
  'kernel-module',
  'firmware',
  'module-source',
  'container-toolkit',
] as const;

type Reader = (values: Values, line: Line, sink: FactSink) => void;

const readers: Readonly<Record<string, Reader>> = {
  scanned(values, line, sink) {
    sink.add(
      'image.scanned',
      {
        reference: values.get('reference') ?? 'image',
        platform: values.get('platform') ?? '',
        complete: values.get('complete') === 'true',
        gpu: values.get('gpu') === 'true',
      },
      line,
    );
  },
  variable(values, line, sink) {
    const name = values.get('name');
    if (name !== undefined) sink.add('image.variable', { name, value: values.get('value') ?? '' }, line);
  },
  entrypoint(values, line, sink) {
    const compat = oneOf(values.get('compat'), ['nvidia-entrypoint', 'script', 'unread', 'none']);
    if (compat === null) return;
    sink.add(
      'image.entrypoint',
      { words: values.get('words') ?? '', compat, ngcScript: values.get('ngcScript') === 'true' },
      line,
    );
  },
  machine(values, line, sink) {
    const machine = values.get('machine');
    if (machine !== undefined) sink.add('image.machine', { machine, count: Number(values.get('count') ?? 1) }, line);
  },
  search(values, line, sink) {
    const by = oneOf(values.get('by'), ['LD_LIBRARY_PATH', 'ld.so.conf', 'default']);
    const holds = oneOf(values.get('holds'), ['compat', 'stub', 'stub-unnamed', 'baked', 'ghost']);
    const folder = values.get('folder');
    if (by !== null && holds !== null && folder !== undefined)
      sink.add('image.search-folder', { folder, by, holds, first: values.get('first') === 'true' }, line);
  },
  libcuda(values, line, sink) {
    const kind = oneOf(values.get('kind'), libcudaKinds);
    const path = values.get('path');
    if (kind === null || path === undefined) return;
    const note = values.get('note');
    sink.add(
      'image.libcuda',
      {
        path,
        kind,
        version: values.get('version') ?? null,
        cuda: values.get('cuda') ?? null,
        note: note === undefined ? null : note.split(',').map(Number).filter(Number.isFinite),
      },
      line,
    );
  },
  'host-file'(values, line, sink) {
    const kind = oneOf(values.get('kind'), hostKinds);
    const path = values.get('path');
    if (kind === null || path === undefined) return;
    const bytes = Number(values.get('bytes') ?? 0);
    sink.add('image.host-thing', { kind, path, bytes, version: values.get('version') ?? null }, line);
  },
  toolkit(values, line, sink) {
    const path = values.get('path');
    if (path === undefined) return;
    sink.add(
      'image.toolkit',
      {
        version: values.get('version') ?? 'unknown',
        path,
        cudart: values.get('cudart') ?? null,
        nvcc: values.get('nvcc') === 'true',
      },
      line,
    );
  },
  library(values, line, sink) {
    const [name, path] = [values.get('name'), values.get('path')];
    if (name === undefined || path === undefined) return;
    sink.add(
      'image.library',
      {
        name,
        version: values.get('version') ?? null,
        path,
        soname: values.get('soname') ?? null,
        wins: values.get('wins') === 'true',
        environment: values.get('environment') ?? null,
      },
      line,
    );
  },
  load(values, line, sink) {
    const [asker, soname] = [values.get('asker'), values.get('soname')];
    if (asker === undefined || soname === undefined) return;
    const others = (values.get('others') ?? '').split(',').flatMap((each) => {
      const cut = each.lastIndexOf('=');
      return cut < 1 ? [] : [{ path: each.slice(0, cut), version: each.slice(cut + 1) || null }];
    });
    sink.add(
      'image.load',
      {
        asker,
        soname,
        path: values.get('path') ?? null,
        version: values.get('version') ?? null,
        by: values.get('by') ?? null,
        others,
      },
      line,
    );
  },
  'mixed-cudnn'(values, line, sink) {
    const folder = values.get('folder');
    const versions = (values.get('versions') ?? '').split(',').map((each) => each.slice(each.lastIndexOf('=') + 1));
    if (folder !== undefined && versions.length > 1) sink.add('image.mixed-cudnn', { folder, versions }, line);
  },
  package(values, line, sink) {
    const [name, environment] = [values.get('name'), values.get('environment')];
    const manager = oneOf(values.get('manager'), managers);
    if (name === undefined || environment === undefined || manager === null) return;
    const value: FactValue<'image.package'> = {
      name,
      version: values.get('version') ?? null,
      environment,
      manager,
      cuda: values.get('cuda') ?? null,
    };
    sink.add('image.package', value, line);
  },
  pin(values, line, sink) {
    const [by, name, wants] = [values.get('by'), values.get('name'), values.get('wants')];
    if (by === undefined || name === undefined || wants === undefined) return;
    sink.add(
      'image.pin',
      {
        by,
        name,
        wants,
        has: values.get('has') ?? null,
        environment: values.get('environment') ?? '',
        elsewhere: values.get('elsewhere') === 'true',
      },
      line,
    );
  },
};

/** Literals that begin a record. */
const kinds: readonly string[] = Object.keys(readers).map((kind) => `image ${kind} `);

export const imageRecords: Parser = {
  id: 'image-records',
  literals: kinds,
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const match = record.exec(line.clean);
      if (match === null) continue;
      const reader = readers[match[1]!];
      if (reader === undefined || !Object.hasOwn(readers, match[1]!)) continue;
      reader(valuesOf(line.clean, match[0].length), line, sink);
    }
  },
};
