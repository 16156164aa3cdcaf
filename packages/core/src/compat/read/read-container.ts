import type { InjectionMode } from '../question.ts';
import { parseImageReference } from '../image-lookup.ts';
import type { Draft } from './draft.ts';
import { find, mark, take, takeAll, typed } from './reading.ts';
import type { Reading } from './reading.ts';

const variable =
  /(?<![a-z0-9_])(cuda_version|nvidia_require_[a-z0-9_]{1,40}|nvidia_disable_require)\s{0,2}=\s{0,2}("[^"]{0,4000}"|'[^']{0,4000}'|[^\s"',;]{1,200})/g;
const reference =
  /(?<![\w./-])(?:[a-z0-9][a-z0-9.-]{0,80}(?::\d{2,5})?\/)?(?:[a-z0-9][a-z0-9._-]{0,80}\/){0,4}[a-z0-9][a-z0-9._-]{0,80}:[a-z0-9_][a-z0-9_.-]{0,127}(?:@sha256:[a-f0-9]{8,64})?/g;

/** Image, its environment, container toolkit, mode, entrypoint and the check's switch. */
export function readContainer(reading: Reading, draft: Draft): void {
  readEnvironment(reading, draft);
  readImage(reading, draft);
  const tool =
    take(
      reading,
      /(?:nvidia[- ])?container[- ]{0,2}tool(?:kit|s)\s{0,2}(?:version|v|=|:)?\s{0,2}v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)(?:-\d{1,3})?/g,
    ) ??
    take(reading, /nvidia-container-toolkit[=_ -]{1,3}v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)(?:-\d{1,3})?/g) ??
    take(
      reading,
      /(?<![a-z])(?:nvidia-ctk|nct|ctk|libnvidia-container|toolkit)\s{0,2}(?:version|v)?\s{0,2}v?(1\.\d{1,3}(?:\.\d{1,3})?)(?![\d.])/g,
    );
  if (tool !== null) draft.containerToolkit = tool[1] as string;
  readMode(reading, draft);
  readEntrypoint(reading, draft);
  if (
    take(
      reading,
      /(?:with |and )?(?:--?disable-require(?:=true)?|nvidia_disable_require(?: (?:set|on))?|(?:the )?(?:requirement|require|start) check (?:is )?(?:disabled|switched off|turned off|skipped|off)|requirements? disabled)/g,
    ) !== null
  ) {
    draft.disableRequire = true;
  }
}

function readEnvironment(reading: Reading, draft: Draft): void {
  const env: Record<string, string> = {};
  for (const match of takeAll(reading, variable)) {
    const name = (match[1] as string).toUpperCase();
    const start = match.index + match[0].length - (match[2] as string).length;
    let end = match.index + match[0].length;
    let value = typed(reading, start, end);
    const quote = value.charAt(0);
    if (quote === '"' || quote === "'") value = value.slice(1, -1);
    else if (name.startsWith('NVIDIA_REQUIRE')) {
      // An unquoted requirement goes on over commas and spaces as long as more terms follow.
      const more = /^(?:[ ,]{1,2}(?:cuda|driver|arch|brand)(?:[<>=!]{1,2})[^\s,;]{1,40})+/.exec(
        reading.lower.slice(end, end + 3000),
      );
      if (more !== null) {
        value += typed(reading, end, end + more[0].length);
        mark(reading, end, end + more[0].length);
        end += more[0].length;
      }
    }
    if (name === 'NVIDIA_DISABLE_REQUIRE') {
      if (['1', 't', 'true'].includes(value.toLowerCase())) draft.disableRequire = true;
    } else env[name] = value;
  }
  if (Object.keys(env).length === 0) return;
  draft.imageEnv = env;
  take(reading, /(?:and |with |but )?(?:no|without|not) nvidia_require(?:_cuda)?(?: (?:set|in it))?/g);
}

function readImage(reading: Reading, draft: Draft): void {
  const match = take(reading, reference);
  if (match !== null) {
    const name = typed(reading, match.index, match.index + match[0].length);
    // `pytorch:25.02-py3`: a tag of that form is one of the registry of NVIDIA.
    draft.image = /^(?:pytorch|tensorflow|tritonserver|jax|tensorrt|nemo):\d{2}\.\d{2}-/i.test(name)
      ? `nvcr.io/nvidia/${name}`
      : name;
    take(reading, /(?:from |on |at )?(?:nvcr\.io|ngc)(?:\/nvidia)?(?![\w./])/g);
    return;
  }
  const spaced =
    take(
      reading,
      /(?:nvcr\.io\/nvidia\/|ngc )(pytorch|tensorflow|tritonserver|triton|jax|tensorrt)(?: image| container)? (?:tag )?(\d{2}\.\d{2})(?:-[a-z0-9-]{1,30})?/g,
    ) ??
    take(
      reading,
      /(?<![a-z])(pytorch|tensorflow|triton(?:[ -]?(?:inference[ -]?)?server)?|jax)(?: ngc)? (?:image|container) (\d{2}\.\d{2})(?:-py3)?/g,
    );
  if (spaced !== null) {
    const name = spaced[1]?.startsWith('triton') === true ? 'tritonserver' : (spaced[1] as string);
    draft.image = `nvcr.io/nvidia/${name}:${spaced[2] as string}-py3`;
    return;
  }
  const base = take(reading, /nvidia\/cuda(?: image)? (\d{1,2}\.\d{1,2}\.\d{1,2})(?:-[a-z0-9.-]{1,40})?/g);
  if (base !== null) draft.image = `nvidia/cuda:${base[1] as string}-base-ubuntu22.04`;
}

function readMode(reading: Reading, draft: Draft): void {
  const named =
    take(
      reading,
      /(?:in |with |using |injection )?(?:the )?(?:mode[ =:]{1,3})(legacy|jit[- ]?cdi|cdi|csv|auto)(?![a-z])/g,
    ) ??
    take(
      reading,
      /(?:in |with |using )?(?:the |its )?(legacy|jit[- ]?cdi|cdi|csv|auto|default)(?: injection| runtime)?[ -]mode/g,
    ) ??
    take(reading, /(?<![a-z-])(jit-cdi|jitcdi|legacy(?! (?:image|driver|gpu|branch))|cdi(?! spec)|csv)(?![a-z-])/g);
  if (named === null) return;
  const word = (named[1] as string).replace(/[ -]/g, '');
  const modes: Readonly<Record<string, InjectionMode>> = {
    legacy: 'legacy',
    jitcdi: 'jit-cdi',
    cdi: 'cdi',
    csv: 'csv',
    auto: 'auto',
    default: 'auto',
  };
  const mode = modes[word];
  if (mode !== undefined) draft.injectionMode = mode;
}

function readEntrypoint(reading: Reading, draft: Draft): void {
  const word =
    /(?:the )?(?:ngc |image'?s? )?entry[- ]?point (?:is |was |gets |being )?(kept|intact|unchanged|default|in place|not (?:replaced|overridden)|replaced|overridden|overwritten|bypassed|removed|skipped|changed)/g;
  const before = /(kept|original|default|unchanged|replaced|overridden|own|custom) entry[- ]?point/g;
  const match = take(reading, word) ?? take(reading, before);
  if (match !== null) {
    draft.entrypoint = [
      'kept',
      'intact',
      'unchanged',
      'default',
      'in place',
      'original',
      'not replaced',
      'not overridden',
    ].includes(match[1] as string)
      ? 'kept'
      : 'replaced';
    return;
  }
  if (take(reading, /(?:with )?--entrypoint(?:[= ][\w./-]{1,60})?/g) !== null) draft.entrypoint = 'replaced';
  else if (
    find(reading, /(?:pod|container|we) (?:sets|overrides|with) (?:its |an? own )?command/g) !== null &&
    draft.image !== undefined
  ) {
    take(reading, /(?:pod|container|we) (?:sets|overrides|with) (?:its |an? own )?command/g);
    draft.entrypoint = 'replaced';
  }
}

/** Is this a reference to an image that tables may know? Used to tell images from paths. */
export function looksLikeImage(text: string): boolean {
  return parseImageReference(text)?.tag != null;
}
