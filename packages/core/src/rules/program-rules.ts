import type { Rule } from '../model/rule.ts';
import { applicationConfiguration } from './application/application-configuration.ts';
import { applicationDownloadFailed } from './application/application-download-failed.ts';
import { applicationException } from './application/application-exception.ts';
import { applicationOutOfMemory } from './application/application-out-of-memory.ts';
import { deviceSideAssertIndex } from './application/device-side-assert-index.ts';
import { forkAfterCudaInit } from './application/fork-after-cuda-init.ts';
import { illegalAccessAppBug } from './application/illegal-access-app-bug.ts';

/** Rules about the program itself, its speed, and healthy input. */
export const programRules: readonly Rule[] = [
  deviceSideAssertIndex,
  forkAfterCudaInit,
  illegalAccessAppBug,
  applicationOutOfMemory,
  applicationDownloadFailed,
  applicationConfiguration,
  applicationException,
];
