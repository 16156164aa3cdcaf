import type { Fact, SaidId } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { saidOf } from '../framework/_stack.ts';

export type SymbolFamily = 'nvjitlink' | 'cublaslt' | 'cudnn' | 'nccl' | 'torch' | 'other';

/** A symbol that a library wants and does not get. */
export interface MissingSymbol {
  readonly family: SymbolFamily;
  readonly symbol: string;
  /** The library that wants it, as printed. */
  readonly by: string | undefined;
  readonly fact: Fact<SaidId>;
}

/** Messages about symbols, by the library that should have them. */
export function missingSymbols(context: RuleContext): readonly MissingSymbol[] {
  const found: MissingSymbol[] = [];
  for (const fact of saidOf(
    context,
    'lib-symbol-missing',
    'ld-undefined-nvjitlink',
    'ld-undefined-cuda-lib-symbol',
    'ld-undefined-torch-abi',
    'cudnn-sublibraries-differ',
  )) {
    const { sym, sym2, ver, file, by, lib } = fact.value.captures;
    const symbol = sym ?? sym2 ?? '';
    found.push({ family: familyOf(symbol, ver ?? file ?? '', by ?? lib ?? ''), symbol, by: by ?? lib, fact });
  }
  return found;
}

function familyOf(symbol: string, library: string, by: string): SymbolFamily {
  if (/^__nvJitLink|^nvJitLink/.test(symbol) || /nvJitLink/i.test(library)) return 'nvjitlink';
  if (
    symbol.startsWith('cublasLt') ||
    /cublasLt/i.test(library) ||
    (symbol.startsWith('cublas') && /cublas|torch|tensorflow|onnxruntime/i.test(by)) ||
    library.startsWith('libcublas')
  )
    return 'cublaslt';
  if (symbol.startsWith('cudnn') || /cudnn/i.test(library)) return 'cudnn';
  if (/^p?nccl[A-Z]/.test(symbol) || /nccl/i.test(library)) return 'nccl';
  // Mangled names of torch's libraries: c10, at, torch, caffe2, and the Python side's THP…
  if (symbol.startsWith('_Z') && /3c10|N2at|5torch|6caffe2|2at[0-9]|RN?2at|THP|THC|c10_|Tensor/.test(symbol))
    return 'torch';
  if (/^(?:THP|THC|aoti_torch|torch_)\w/.test(symbol)) return 'torch';
  return 'other';
}

/** Symbols of one family. */
export function symbolsOf(context: RuleContext, family: SymbolFamily): readonly MissingSymbol[] {
  return missingSymbols(context).filter((each) => each.family === family);
}
