import { applicationSignatures } from './application.rows.ts';
import { benignSignatures } from './benign.rows.ts';
import { buildSignatures } from './builds.rows.ts';
import { containerSignatures } from './container.rows.ts';
import { withCudaCodes } from './cuda-codes.ts';
import { cudaSignatures } from './cuda.rows.ts';
import { extraContainerSignatures } from './extra-container.rows.ts';
import { extraDriverSignatures } from './extra-driver.rows.ts';
import { extraFrameworkSignatures } from './extra-framework.rows.ts';
import { programSignatures } from './extra-program.rows.ts';
import { frameworksSignatures } from './frameworks.rows.ts';
import { hardwareSignatures } from './hardware.rows.ts';
import { hostSignatures } from './host.rows.ts';
import { inferenceSignatures } from './inference.rows.ts';
import { kernelModuleSignatures } from './kernel-module.rows.ts';
import { ncclSignatures } from './nccl.rows.ts';
import { nvmlSignatures } from './nvml.rows.ts';
import { orchestratorSignatures } from './orchestrator.rows.ts';
import { stackDriverSignatures } from './stack-driver.rows.ts';
import { stackOrchestratorSignatures } from './stack-orchestrator.rows.ts';
import { programsSignatures } from './programs.rows.ts';
import { toolkitSignatures } from './toolkit.rows.ts';
import { stackHardwareSignatures } from './stack-hardware.rows.ts';
import { stackNetworkSignatures } from './stack-network.rows.ts';
import { stackProgramSignatures } from './stack-program.rows.ts';
import { systemsSignatures } from './systems.rows.ts';
import { torchSignatures } from './torch.rows.ts';
import type { SignatureRow } from './signature.types.ts';

/** Every signature; the order of the groups means nothing, a verdict orders by layer and by time. */
export const signatures: readonly SignatureRow[] = [
  ...withCudaCodes(cudaSignatures),
  ...nvmlSignatures,
  ...kernelModuleSignatures,
  ...hardwareSignatures,
  ...hostSignatures,
  ...containerSignatures,
  ...orchestratorSignatures,
  ...toolkitSignatures,
  ...ncclSignatures,
  ...torchSignatures,
  ...frameworksSignatures,
  ...inferenceSignatures,
  ...applicationSignatures,
  ...benignSignatures,
  ...extraContainerSignatures,
  ...extraDriverSignatures,
  ...extraFrameworkSignatures,
  ...programSignatures,
  ...programsSignatures,
  ...stackProgramSignatures,
  ...stackDriverSignatures,
  ...stackOrchestratorSignatures,
  ...stackNetworkSignatures,
  ...stackHardwareSignatures,
  ...systemsSignatures,
  ...buildSignatures,
];
