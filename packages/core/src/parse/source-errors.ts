// Where a CUDA compiler (nvcc, NVRTC) stopped at the source that it was given, not at its own or the system's headers.
//
// /home/ph/solver/src/stencil.cu(88): error: identifier "blockIdxx" is undefined
// 1 error detected in the compilation of "/home/ph/solver/src/stencil.cu".
// cupy.cuda.compiler.CompileException: /tmp/tmp8kd0a/3f1c.cubin.cu(17): error: expected a ";"
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';

const summary = /\b\d{1,5} (?:catastrophic )?errors? detected in the compilation of "(?<unit>[^"]{1,400})"/;
const place =
  /(?:^|\s)(?<file>[^\s():"']{1,300}\.\w{1,5})(?:\(\d{1,6}\)|:\d{1,6}(?::\d{1,6})?): (?:(?:catastrophic|fatal) )?error\b:? ?(?<what>.{0,300})/;
/** Headers of the system, of a toolkit, of a package: what stops there is no mistake of the program. */
const foreign =
  /^(?:\/usr\/|\/opt\/(?:cuda|nvidia|conda|rocm)|\/nix\/store\/|[A-Z]:[\\/]Program Files)|[\\/](?:site|dist)-packages[\\/]|[\\/]cuda(?:-\d{1,2}\.\d{1,2})?[\\/](?:targets|include|bin)\b|[\\/](?:mini|ana|mamba)\w{0,12}[\\/].{0,120}[\\/]include[\\/]|[\\/]c\+\+[\\/]\d/i;
/** A header that is not there, a compiler or an architecture that is refused: of the stack or of how it is called. */
const ofTheStack =
  /No such file or directory|cannot open source file|unsupported GNU|-- unsupported|is not (?:supported|defined for)|gpu-architecture|exception specification is incompatible|compute capability|only supported (?:for|on)|requires? (?:sm_|compute_)|sm_\d{2}/i;

export const sourceErrors: Parser = {
  id: 'source-errors',
  failures: true,
  literals: ['detected in the compilation of'],
  keep: { before: 60, after: 0 },
  parse(document, hits, sink) {
    for (const end of hits.slice(0, 200)) {
      if (end.prompt || end.told || !summary.test(end.clean)) continue;
      let first: { readonly line: Line; readonly file: string; readonly what: string } | null = null;
      let own = true;
      for (let at = end.index - 1; at >= 0 && at > end.index - 200; at--) {
        const line = document.lines[at]!;
        if (line.prompt || summary.test(line.clean)) break;
        const groups = place.exec(line.clean.slice(0, 1200))?.groups;
        if (groups === undefined) continue;
        const [file, what] = [groups['file']!, groups['what']!];
        if (foreign.test(file) || ofTheStack.test(what)) own = false;
        first = { line, file, what };
      }
      if (first !== null && own)
        sink.add('build.source-error', { file: first.file, what: first.what.trim() }, [first.line, end]);
    }
  },
};

/** `-- Build files have been written to: /home/u/app/build` (CMake). */
export const buildConfigured: Parser = {
  id: 'build-configured',
  literals: ['build files have been written'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 20))
      if (!line.prompt && !line.told && /^-- Build files have been written to: /.test(line.clean))
        sink.add('build.configured', true, line);
  },
};
