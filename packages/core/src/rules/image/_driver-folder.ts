import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { files, own, variable } from '../container-runtime/_container.ts';

// A folder with the host's driver in a container, and whether it is searched.

export interface DriverFolder {
  readonly file: Fact<'file.exists'>;
  readonly folder: string;
  /** One of the places where device plugins mount the driver. */
  readonly usual: boolean;
}

/** Folders that the loader searches without being told. */
const standard = /^\/(?:usr\/)?lib(?:64|\/(?:x86_64|aarch64)-linux-gnu)?$/;

/** A libcuda, NVML or nvidia-smi in a folder that is not searched by itself. */
export function driverFolder(context: RuleContext): DriverFolder | null {
  for (const file of files(context, /\/(?:lib(?:cuda|nvidia-ml)\.so(?:\.1|\.\d{3}[\d.]{1,12})?|nvidia-smi)$/)) {
    const folder = file.value.slice(0, file.value.lastIndexOf('/'));
    if (file.scope === 'host' || standard.test(folder) || /^\/usr\/(?:local\/)?s?bin$/.test(folder)) continue;
    if (/\/(?:stubs|compat)(?:\/|$)|^\/usr\/lib\/wsl|^\/(?:nix|gnu)\//.test(`${folder}/`)) continue;
    return {
      file,
      folder,
      usual: /^\/(?:usr\/local\/nvidia|home\/kubernetes\/bin\/nvidia|opt\/nvidia|run\/nvidia)/.test(folder),
    };
  }
  return null;
}

/** A search path as printed inside the container. */
export function searched(context: RuleContext, name: string): Fact<'env'> | undefined {
  return variable(context, name) ?? own(context, 'env').find((fact) => fact.value.name === name);
}

export function folderIn(path: string, folder: string): boolean {
  return path.split(':').some((each) => each.replace(/\/$/, '') === folder);
}
