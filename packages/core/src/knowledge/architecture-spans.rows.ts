import type { ArchitectureSpanRow } from './branches.types.ts';

/** First and last driver branch of each architecture, oldest first. */
export const architectureSpans: readonly ArchitectureSpanRow[] = [
  { architecture: 'Fermi', minSm: 20, maxSm: 21, firstBranch: null, lastBranch: 390, lastToolkit: '8.0', confirmed: true, note: null, sources: ['driver-architecture-matrix'] },
  { architecture: 'Kepler', minSm: 30, maxSm: 37, firstBranch: null, lastBranch: 470, lastToolkit: '11.8', confirmed: true, note: '3.0 and 3.2 end with toolkit 10.2, 3.5 and 3.7 with 11.8.', sources: ['driver-architecture-matrix'] },
  { architecture: 'Maxwell', minSm: 50, maxSm: 53, firstBranch: null, lastBranch: 580, lastToolkit: '12.9', confirmed: true, note: 'Branch 590 and later leave these GPUs alone: the log says so and no device is found.', sources: ['driver-architecture-matrix', 'nvidia-versions'] },
  { architecture: 'Pascal', minSm: 60, maxSm: 62, firstBranch: 367, lastBranch: 580, lastToolkit: '12.9', confirmed: true, note: 'Branch 590 and later leave these GPUs alone: the log says so and no device is found.', sources: ['driver-architecture-matrix', 'nvidia-versions'] },
  { architecture: 'Volta', minSm: 70, maxSm: 72, firstBranch: 384, lastBranch: 580, lastToolkit: '12.9', confirmed: true, note: 'Branch 590 and later leave these GPUs alone: the log says so and no device is found.', sources: ['driver-architecture-matrix', 'nvidia-versions'] },
  { architecture: 'Turing', minSm: 75, maxSm: 75, firstBranch: 410, lastBranch: null, lastToolkit: null, confirmed: true, note: null, sources: ['driver-architecture-matrix', 'cuda-jl-compatibility'] },
  { architecture: 'Ampere', minSm: 80, maxSm: 88, firstBranch: 450, lastBranch: null, lastToolkit: null, confirmed: true, note: '8.6 starts with branch 455.', sources: ['driver-architecture-matrix', 'cuda-jl-compatibility'] },
  { architecture: 'Ada', minSm: 89, maxSm: 89, firstBranch: 520, lastBranch: null, lastToolkit: null, confirmed: false, note: 'Single boards ask for later builds.', sources: ['driver-architecture-matrix', 'cuda-jl-compatibility'] },
  { architecture: 'Hopper', minSm: 90, maxSm: 90, firstBranch: 520, lastBranch: null, lastToolkit: null, confirmed: false, note: '525 is the first production branch for it.', sources: ['driver-architecture-matrix', 'cuda-jl-compatibility'] },
  { architecture: 'Blackwell', minSm: 100, maxSm: 121, firstBranch: 570, lastBranch: null, lastToolkit: null, confirmed: true, note: '10.3 and 12.1 need 575 or, in production, 580.', sources: ['driver-architecture-matrix', 'cuda-jl-compatibility'] },
  { architecture: 'Rubin', minSm: 107, maxSm: 107, firstBranch: 615, lastBranch: null, lastToolkit: null, confirmed: true, note: null, sources: ['driver-architecture-matrix', 'cuda-jl-compatibility'] },
];
