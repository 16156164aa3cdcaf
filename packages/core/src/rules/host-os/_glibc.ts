import type { Fact, SaidId } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { saidOf } from '../driver/_machine.ts';

// A file that needs a newer C library than the one it meets: whose file it is decides the cause.

export interface GlibcNeed {
  readonly fact: Fact<SaidId>;
  readonly need: string;
  /** The file that needs it, as the loader names it; null where it does not. */
  readonly by: string | null;
  readonly kind: 'package' | 'host-library' | 'program';
}

const packagePath =
  /(?:^|[/\s])(?:site-packages|dist-packages|node_modules|\.venv|venv|conda|envs|mambaforge|miniconda\d?|anaconda\d?|\.local\/lib\/python|_MEI|bazel-|pip-|gems|R\/library|\.julia)(?:[/-]|$)|\.cpython-|\.abi3\.so|\.\.\.\/(?:torch|tensorflow|jax|jaxlib|cupy|triton|numpy|onnxruntime)\b|\/(?:torch|tensorflow|jaxlib|cupy|triton|onnxruntime|bitsandbytes|flash_attn|xformers|vllm)\/|_pywrap_/;
const boundPath =
  /\/\.singularity\.d\/libs\/|\/usr\/local\/nvidia\/lib|\/run\/nvidia|\/host\/|\/usr\/lib\/nvidia|\/nvidia\/current\/|\/usr\/lib\/wsl\/|\/hostlibs?\//;
const driverLibrary =
  /\/lib(?:cuda|nvidia-[\w-]{1,40}|nvcuvid|nvoptix|GLX_nvidia|EGL_nvidia|GLX|GLdispatch|EGL|OpenGL|nvidia)\S{0,20}\.so/;

/** Every refusal of the loader over a glibc version, with whose file it is about. */
export function glibcNeeds(context: RuleContext): readonly GlibcNeed[] {
  return saidOf(context, 'glibc-symbol-version').flatMap((fact) => {
    const need = fact.value.captures['need'];
    if (need === undefined) return [];
    const by = fact.value.captures['by'] ?? null;
    const kind =
      by === null
        ? 'program'
        : boundPath.test(by) || (fact.scope !== 'host' && driverLibrary.test(by) && !by.includes('libnvidia-container'))
          ? 'host-library'
          : packagePath.test(by)
            ? 'package'
            : 'program';
    return [{ fact, need, by, kind }];
  });
}

/** `2.28` below `2.34`? Null where one is no version. */
export function glibcBelow(have: string, need: string): boolean | null {
  const a = /^2\.(\d{1,3})/.exec(have)?.[1];
  const b = /^2\.(\d{1,3})/.exec(need)?.[1];
  return a === undefined || b === undefined ? null : Number(a) < Number(b);
}
