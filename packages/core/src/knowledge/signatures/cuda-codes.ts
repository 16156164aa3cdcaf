import { cudaErrors } from '../cuda-errors.rows.ts';
import type { CudaErrorRow } from '../errors.types.ts';
import { ambiguousCudaTexts, cudaCodes } from './cuda-codes.rows.ts';
import type { SignatureRow } from './signature.types.ts';

/** Codes that are no failure and name nothing: success and the base of the API range. */
const silent: readonly number[] = [0, 10000];

/** `cuBLAS error: 13` is a status of cuBLAS, not CUDA error 13. */
const notLibrary = '(?!(?:BLAS|FFT|DNN|SPARSE|SOLVER|RAND|TENSOR|DSS|Blas|Fft|Sparse|Solver|Rand|Tensor|File))';

/** Before an ambiguous text: a CUDA word, a CUDA call, a known wrapper, or the arrow of the CUDA samples. */
const textContext = String.raw`(?:[Cc][Uu][Dd][Aa]|\bcu[A-Z][A-Za-z]{2,40}|GPU ?[Aa]ssert|^\s{0,8}->)`;

/** What may stand between the number and what follows it: not a longer number, a unit or a count. */
const after = String.raw`(?![\w%]|\.\d|/\d| (?:times|of|ms|us|ns|sec|MB|GB|MiB|GiB|bytes|warnings?|retries|attempts|devices?)\b)`;

/** Words before the number, and how the number is joined to them. One literal each is made of the pairs. */
const numberWords = ['error', 'err', 'code', 'failure', 'status', 'returned', 'failed with', 'error_t'] as const;
/** Codes that are seldom met alone get the usual forms only, to keep the finder small. */
const usualWords = ['error', 'code', 'failure', 'returned'] as const;
const joints = [' ', ': ', '=', ' (', '(', ' #'] as const;
const word = String.raw`(?:[Ee]rror|ERROR|[Ee]rr|ERR|[Ff]ailure|FAILURE|[Ss]tatus|[Rr]eturned|[Ff]ailed with)`;
const usualWord = String.raw`(?:[Ee]rror|ERROR|[Ff]ailure|FAILURE|[Rr]eturned)`;
const codeWord = String.raw`(?:[ _-]?[Cc]ode)?`;
const joint = String.raw`(?:: |=| \(| #| |\()`;

/** Not CUDA's alone even behind a CUDA word (frameworks print it of their own pools): its signature has patterns of its own. */
const memoryText = 'out of memory';

/** A literal need not be the whole text; short ones keep the finder small. */
const short = (text: string): string => text.slice(0, 24);

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

/**
 * Ways in which programs print a CUDA error by its number alone, where CUDA is unmistakably meant.
 * The named groups are `code`, and `context` where a call or wrapper is named.
 * @param codes numbers that mean the same
 * @param usual the most usual forms only
 */
export function cudaNumberPatterns(codes: readonly number[], usual: boolean): readonly RegExp[] {
  const number = String.raw`(?<code>${codes.join('|')})${after}`;
  const says = usual ? usualWord : word;
  // One digit behind an arrow is too little to say anything.
  const long = codes.filter((code) => code > 9);
  const longNumber = String.raw`(?<code>${long.join('|')})${after}`;
  const always = [
    // CUDA error 804, CUDA driver error: 999, cuda init failure: 35, CUDA error code (100)
    `(?<context>[Cc][Uu][Dd][Aa][A-Za-z_: ]{0,40}?${says}${codeWord})${joint}${number}`,
    // cudaGetDeviceCount returned 35, cuInit(0) failed with error 100, cudaSetDevice err: 999, call to cuCtxCreate returned error 214
    String.raw`\b(?<context>cu${notLibrary}(?:da)?[A-Z][A-Za-z0-9_]{2,50})(?:\([^()]{0,60}\))?[ ,:.]{0,3}[A-Za-z_:, ]{0,40}?${says}${codeWord}(?: ${says}${codeWord})?${joint}${number}`,
    // Unexpected error from cudaGetDeviceCount() … Error 804
    String.raw`Unexpected error from (?<context>cuda\w{2,40})\(\).{0,240}?[Ee]rror ${number}`,
    // error 999 in cuInit, error code 35 (cudaGetDeviceCount)
    String.raw`[Ee]rror(?: code)?(?: |: |=|\()${number}\)?[ ,:]{1,2}(?:\(|from |in |at |by |calling |returned by |during )?(?<context>cu${notLibrary}(?:da)?[A-Z]\w{2,50})`,
    // CUDA.jl: CUDA error: … (code 222, ERROR_UNSUPPORTED_PTX_VERSION)
    String.raw`\(code ${number}, ERROR_`,
    // cuInit failed: 999, cudaMalloc failed (2)
    String.raw`\b(?<context>cu${notLibrary}(?:da)?[A-Z][A-Za-z0-9_]{2,50})(?:\([^()]{0,60}\))? (?:has )?failed${joint}${number}`,
    // driver error code: 35
    String.raw`(?<context>\b[Dd]river [Ee]rror [Cc]ode): ${number}`,
    // Failed to launch vectorAdd kernel (error code 719)!
    String.raw`(?<context>[Kk]ernel|[Ll]aunch|GPU|[Dd]evice|[Ss]tream|[Mm]emcpy).{0,100}?\([Ee]rror code ${number}\)`,
  ];
  const more = [
    // cudaError_t: 46
    `(?<context>cudaError_t)${joint}${number}`,
    // cuInit -> 802, cuInit(0) = 100
    ...(long.length === 0
      ? []
      : [
          String.raw`\b(?<context>cu${notLibrary}(?:da)?[A-Z][A-Za-z0-9_]{2,50})(?:\([^()]{0,60}\))? {0,2}(?:->|=>|==) ${longNumber}`,
          String.raw`\b(?<context>cu${notLibrary}(?:da)?[A-Z][A-Za-z0-9_]{2,50})\([^()]{0,60}\) = ${longNumber}`,
        ]),
    // Check failed: CUDA_SUCCESS == cuCtxSetCurrent(context) (0 vs. 216), e == cudaSuccess (35 vs. 0)
    String.raw`(?<context>cudaSuccess|CUDA_SUCCESS).{0,120}?\(0 vs\.? ${number}\)`,
    String.raw`(?<context>cudaSuccess|CUDA_SUCCESS).{0,120}?\(${number} vs\.? 0\)`,
    // [222] Call to cuLinkAddData results in …
    String.raw`\[${number}\] Call to (?<context>cu\w{2,50})`,
    // CUresult 100, CUresult: 100
    String.raw`\b(?<context>CUresult)\b${joint}${number}`,
  ];
  return (usual ? always : [...always, ...more]).map((source) => new RegExp(source));
}

function numberLiterals(codes: readonly number[], usual: boolean): readonly string[] {
  const literals: string[] = [];
  for (const code of codes) {
    for (const each of usual ? usualWords : numberWords) for (const by of joints) literals.push(`${each}${by}${code}`);
    for (const by of joints) literals.push(`failed${by}${code}`);
    if (usual) continue;
    literals.push(`[${code}] call to cu`);
    literals.push(`(${code} vs`, `vs. ${code})`, `vs ${code})`, `) = ${code}`);
    for (const by of joints) literals.push(`curesult${by}${code}`);
    for (const arrow of ['->', '=>', '==']) literals.push(`${arrow} ${code}`);
  }
  return literals.filter((each) => each.length >= 5);
}

/** Patterns and literals for the name, the printed text and the number of CUDA codes that one signature speaks for. */
function ofCodes(
  rows: readonly CudaErrorRow[],
  oldCodes: readonly number[],
  textTaken: ReadonlySet<string>,
  usual: boolean,
): Pick<SignatureRow, 'patterns' | 'literals'> {
  const patterns: RegExp[] = [];
  const literals: string[] = [];
  const names = rows.flatMap((row) => [row.runtime, row.driver].filter((name) => name !== null));
  if (names.length > 0) {
    patterns.push(new RegExp(String.raw`\b(?<name>${names.join('|')})\b`, 'i'));
    literals.push(...names.map((name) => short(name.toLowerCase())));
  }
  for (const row of rows) {
    for (const text of [row.string, row.stringOlder]) {
      if (text === null || textTaken.has(text) || text === memoryText) continue;
      const bare = text.replace(/\.$/, '');
      const ambiguous = ambiguousCudaTexts.includes(text);
      patterns.push(
        ambiguous
          ? new RegExp(String.raw`${textContext}.{0,120}?(?<text>\b${literal(bare)})(?!\w)`)
          : new RegExp(String.raw`(?<text>${literal(bare)})`, 'i'),
      );
      literals.push(short(bare.toLowerCase()));
    }
  }
  const codes = [...rows.map((row) => row.code), ...oldCodes];
  patterns.push(...cudaNumberPatterns(codes, usual));
  literals.push(...numberLiterals(codes, usual));
  return { patterns, literals };
}

/**
 * Adds to the hand-written signatures of CUDA errors what can be told from the code table, and a signature
 * `cuda-error-<code>` for each code that none of them covers. Source: driver_types.h and cuda.h, CUDA 13.0.
 * @param written hand-written rows
 * @returns the same rows with names, texts and numbers of their codes, then the generated ones
 */
export function withCudaCodes(written: readonly SignatureRow[]): readonly SignatureRow[] {
  const ofRow = new Map<number, CudaErrorRow>(cudaErrors.map((row) => [row.code, row]));
  const covered = new Set<number>(silent);
  const bySignature = new Map(cudaCodes.map((row) => [row.signature, row]));
  // A text that two codes share belongs to the first of them.
  const textOf = new Map<string, number>();
  for (const row of cudaErrors) if (!textOf.has(row.string)) textOf.set(row.string, row.code);
  const takenFor = (rows: readonly CudaErrorRow[]): ReadonlySet<string> =>
    new Set(rows.filter((row) => textOf.get(row.string) !== row.code).map((row) => row.string));

  const completed = written.map((signature) => {
    const codes = bySignature.get(signature.id);
    if (codes === undefined) return signature;
    const rows = codes.codes.map((code) => ofRow.get(code)).filter((row) => row !== undefined);
    for (const code of codes.codes) covered.add(code);
    const more = ofCodes(rows, codes.oldCodes, takenFor(rows), false);
    return {
      ...signature,
      patterns: [...signature.patterns, ...more.patterns],
      literals: [...new Set([...signature.literals, ...more.literals])],
    };
  });
  return [
    ...completed,
    ...cudaErrors.filter((row) => !covered.has(row.code)).map((row) => generated(row, takenFor([row]))),
  ];
}

function generated(row: CudaErrorRow, taken: ReadonlySet<string>): SignatureRow {
  return {
    id: `cuda-error-${row.code}`,
    layer: row.layer ?? 'application',
    owner: row.owner,
    role: row.owner === 'none' ? 'info' : 'signature',
    severity: row.owner === 'none' ? 'info' : 'error',
    symbol: row.runtime ?? row.driver,
    code: row.code,
    meaning: row.meaning === '' ? `CUDA error ${row.code}: ${row.string}` : row.meaning,
    ...ofCodes([row], [], taken, true),
    examples: [`${row.runtime ?? row.driver}`, `CUDA error ${row.code}`],
    causes: [],
    fixOrder: [],
    commands: [],
    sources: ['https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html'],
    confirmed: row.confirmed,
  };
}
