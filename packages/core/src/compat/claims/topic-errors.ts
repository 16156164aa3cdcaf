import type { Claim } from './claim-parts.ts';
import { isNegated } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';

interface Meaning {
  readonly code: number;
  readonly because: string;
  readonly message: string;
  readonly restsOn: readonly string[];
  /** Words of the right cause. */
  readonly right: RegExp;
  /** Words of a cure that helps. */
  readonly cure: RegExp;
}

/** What the version errors mean, as ideas. */
const meanings: readonly Meaning[] = [
  {
    code: 804,
    because: 'forward-compat',
    message: '804: a compat libcuda is in use on a GPU that is not allowed to use it',
    restsOn: ['cuda-forward-compat', 'cuda-compat-faq'],
    right:
      /\b(?:gpu|board|card|device|hardware|class|geforce|consumer|titan|sku)\b[^;]{0,80}\b(?:not|may|allow|support|class|forbid|refus|compat)|\bgpu\b[^;]{0,40}\bcompat\b|\bcompat\b[^;]{0,40}\b(?:used|in use|loaded|active|picked|in front|first|on the path)|\bcompat\b[^;]{0,80}\b(?:gpu|board|card|device|hardware|class|geforce|consumer)\b|\bforward[- ]compat[^;]{0,60}\b(?:unsupported|not supported|not allowed)/,
    cure: /\b(?:remov|take|taking|drop|without|unset|disabl|off|delet|uninstall|clear)\w*\b[^;]{0,40}\b(?:compat|ld_library_path|search path)/,
  },
  {
    code: 803,
    because: 'forward-compat',
    message: '803: the loaded libcuda and the kernel module do not pair',
    restsOn: ['cuda-forward-compat'],
    right:
      /\b(?:libcuda|user[- ]?(?:mode|space)|librar(?:y|ies))\b[^;]{0,80}\b(?:kernel|module|driver|match|pair|fit|version)|\bkernel module\b[^;]{0,80}\b(?:libcuda|library|user|match|pair|fit)|\bmismatch|\bdo(?:es)? not (?:match|pair|fit)|\bunsupported base\b|\bcompat\b[^;]{0,60}\b(?:older|base|too old|wrong)/,
    cure: /\b(?:reboot|reload|restart|(?:remov|tak(?:e|ing)|drop|unset|delet|uninstall|clear)\w*[^;]{0,40}(?:compat|ld_library_path)|align)/,
  },
  {
    code: 35,
    because: 'minimum-driver',
    message: '35: the driver is older than the runtime may use',
    restsOn: ['cuda-minor-version-compat'],
    right:
      /\bdriver\b[^;]{0,60}\b(?:too old|older|old|insufficient|below|lower|upgrad|updat|newer)|\b(?:old|older|outdated) (?:host )?driver/,
    cure: /\b(?:upgrad|updat|newer|install)\w*\b[^;]{0,40}\bdriver|\bdrivers?\b[^;]{0,20}\b(?:upgrad|updat|newer)|\bolder (?:cuda|build|wheel|toolkit)/,
  },
  {
    code: 36,
    because: 'minor-version',
    message: '36: a call asks for what only a newer driver has, although the CUDA major fits',
    restsOn: ['cuda-minor-version-compat'],
    right: /\b(?:call|function|feature|api)\b[^;]{0,60}\b(?:newer|driver|missing)|\bnewer driver\b/,
    cure: /\b(?:upgrad|updat|newer)\w*\b[^;]{0,40}\bdriver|\bdrivers?\b[^;]{0,20}\b(?:upgrad|updat|newer)/,
  },
  {
    code: 209,
    because: 'binary-arch',
    message: '209: the program has no machine code for the GPU, and no PTX that serves it',
    restsOn: ['blackwell-compatibility-guide'],
    right:
      /\b(?:not (?:built|compiled)|(?:lacks?|lacking|misses|missing|without) (?:code|sass|kernels?|machine code|cubins?)|no (?:code|sass|kernel|machine code|cubin|binary|ptx)|built|compiled|architecture|arch|compute capability|sm_\d+|gpu (?:generation|architecture)|code for)\b/,
    cure: /\b(?:rebuild|recompil|another (?:wheel|build)|other (?:wheel|build)|wheel (?:with|for|built)|build (?:with|for|that)|cu1\d\d)/,
  },
  {
    code: 222,
    because: 'ptx-jit',
    message: '222: the PTX is newer than the JIT of the loaded driver',
    restsOn: ['cuda-minor-version-compat', 'cuda-forward-compat'],
    right:
      /\bptx\b[^;]{0,80}\b(?:newer|new|driver|jit|toolkit|version|old)|\bdriver\b[^;]{0,40}\b(?:jit|too old|older)|\btoolkit\b[^;]{0,50}\bnewer\b/,
    cure: /\b(?:upgrad|updat|newer)\w*\b[^;]{0,40}\bdriver|\bdrivers?\b[^;]{0,20}\b(?:upgrad|updat|newer)|\bcompat\b|\bsass\b|\bmachine code\b|\bolder toolkit/,
  },
  {
    code: 34,
    because: 'host-needs-driver-only',
    message: '34: the stub of libcuda was loaded instead of the one of the driver',
    restsOn: ['cuda-runtime-api'],
    right: /\bstub/,
    cure: /\b(?:remov|take|unset|ld_library_path)/,
  },
];

const blamed =
  /\b(?:driver|kernel module|libcuda|compat|gpu|board|card|hardware|ptx|jit|stub|toolkit|nvcc|cudnn|nccl|network|memory|out of memory|power|temperature|wheel|architecture|arch|code|image|container|class|installation|broken|defective|pcie|cable)\b/;

/** `error 804 at cuInit: this GPU class may not use the compat libraries`. */
export function errorClaim(claim: Claim): ClaimVerdict | null {
  const [code] = claim.errors;
  const meaning = meanings.find((one) => one.code === code);
  if (meaning === undefined) return null;
  const { all, main } = claim.text;
  if (isConcrete(code as number, claim)) return null;
  let text = withoutNames(main.length > 12 ? main : all);
  for (const gpus of claim.gpus) text = text.replace((gpus[0]?.printed ?? 'gpu').toLowerCase(), 'gpu');
  const denies = isNegated(withoutMeaning(text));
  const cures =
    /\b(?:fix(?:es|ed)?|solves?|solved|cures?|cured|helps?|repairs?|resolves?|goes away|go away|gone|disappears?|vanish(?:es)?|gets rid|avoids?|upgrad(?:e|ing)|install(?:ing)?|reinstall(?:ing)?|reboot(?:ing)?)\b/.test(
      text,
    );
  if (cures) {
    return answer(
      truth(meaning.cure.test(text), meaning.because, meaning.message, meaning.restsOn),
      isNegated(
        text.replace(/\bdoes not\b|\bcan not\b/g, (part) => (/\bhelp|\bfix|\bsolve|\bcure/.test(text) ? part : ' ')),
      ),
    );
  }
  if (meaning.right.test(text)) return answer(truth(true, meaning.because, meaning.message, meaning.restsOn), denies);
  if (blamed.test(text)) return answer(truth(false, meaning.because, meaning.message, meaning.restsOn), denies);
  return null;
}

/** `torch 2.11 cu128 gives 209 on a V100`: whether it does is said, and not what the error means. */
function isConcrete(code: number, claim: Claim): boolean {
  if (
    claim.text.premise !== '' ||
    /\b(?:means?|says|tells|because|due|caused?|reason|points?|indicates?|fix(?:es|ed)?|solves?|cures?|helps?|disappears?|goes away|avoids?|remov\w+|upgrad\w+|updat\w+|install\w*|reboot\w*|complains?|explain\w*|as|since|:)\b|:/.test(
      claim.text.all,
    )
  )
    return false;
  const program = claim.wheels.some((wheel) => wheel.variant !== null) || claim.targets.length > 0;
  return code === 209 && program && claim.gpus.length > 0;
}

/** The words of the error itself explain nothing. */
function withoutNames(text: string): string {
  return text
    .replace(
      /no kernel image(?: is)?(?: available)?(?: for execution)?(?: on the device)?|unsupported toolchain|driver version is insufficient(?: for cuda runtime version)?|cuda driver is a stub library/g,
      ' it ',
    )
    .replace(/\bcuda_?error[a-z_]{0,40}/g, ' it ');
}

/** Negations that belong to the described fault, not to the statement about it. */
function withoutMeaning(text: string): string {
  return text.replace(
    /\b(?:may|can|is|are|does|do|has|have|was) not (?:be |been )?(?:use|used|allowed|support|supported|pair|match|fit|built|compiled|contain|have|permitted|serve)\b|\bno (?:code|sass|kernel|machine code|cubin|binary|ptx|image)\b|\bnot (?:built|compiled|supported|allowed|permitted)\b|\bwithout (?:code|sass|ptx)\b/g,
    ' ',
  );
}
