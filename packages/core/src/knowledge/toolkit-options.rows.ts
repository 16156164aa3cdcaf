import type { ToolkitOptionRow } from './forward-compat.types.ts';

/** How container toolkit releases choose between the host libcuda and the compat libcuda of the image. */
export const toolkitOptions: readonly ToolkitOptionRow[] = [
  { option: 'nvidia-container-runtime.modes.legacy.cuda-compat-mode', value: 'ldconfig', versions: { from: '1.17.7', below: null }, what: 'The default: the compat folder goes into a loader configuration of the container (/etc/ld.so.conf.d/00-compat-*.conf).', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'nvidia-container-runtime.modes.legacy.cuda-compat-mode', value: 'mount', versions: { from: '1.17.7', below: null }, what: 'The older way: compat libraries are mounted over the driver folder.', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'nvidia-container-runtime.modes.legacy.cuda-compat-mode', value: 'hook', versions: { from: '1.17.7', below: null }, what: 'Like ldconfig, but by a hook: works with the nvidia runtime, not with the plain prestart hook behind --gpus.', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'nvidia-container-runtime.modes.legacy.cuda-compat-mode', value: 'disabled', versions: { from: '1.17.7', below: null }, what: 'The host libcuda stays first.', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'compat-choice', value: 'always-mounted', versions: { from: null, below: '1.17.4' }, what: 'Compat libraries were mounted whenever the majors differed, even older ones on a newer host: a known source of error 803.', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'compat-choice', value: 'never', versions: { from: '1.17.4', below: '1.17.5' }, what: 'Compat libraries were not used.', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'compat-choice', value: 'higher-major', versions: { from: '1.17.5', below: '1.20.0' }, what: 'A hook uses them only where their driver major is above the host major; CSV mode of 1.19 compares CUDA versions.', confirmed: true, sources: ['container-toolkit-source'] },
  { option: 'compat-choice', value: 'elf-note', versions: { from: '1.20.0', below: null }, what: 'The ELF note decides: the host major must be in its list and the compat driver newer than the host driver, compared in full. Host unknown: the CUDA version of the note must be above the host. No note: higher major. More than one libcuda in the folder: not used.', confirmed: true, sources: ['container-toolkit-source'] },
];
