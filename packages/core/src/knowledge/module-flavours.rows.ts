import type { ModuleFlavourRow } from './branches.types.ts';

/** Kernel module flavours that drive each architecture; a row that names products goes before the one that does not. */
export const moduleFlavours: readonly ModuleFlavourRow[] = [
  { architecture: 'Maxwell', products: null, fromBranch: null, toBranch: 580, flavours: 'proprietary-only', confirmed: true, sources: ['driver-kernel-modules'] },
  { architecture: 'Pascal', products: null, fromBranch: null, toBranch: 580, flavours: 'proprietary-only', confirmed: true, sources: ['driver-kernel-modules'] },
  { architecture: 'Volta', products: null, fromBranch: null, toBranch: 580, flavours: 'proprietary-only', confirmed: true, sources: ['driver-kernel-modules'] },
  { architecture: 'Turing', products: null, fromBranch: null, toBranch: 510, flavours: 'proprietary-only', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { architecture: 'Turing', products: null, fromBranch: 515, toBranch: 610, flavours: 'either', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { architecture: 'Turing', products: null, fromBranch: 615, toBranch: null, flavours: 'open-only', confirmed: false, sources: ['amazon-linux-2023'] },
  { architecture: 'Ampere', products: null, fromBranch: null, toBranch: 510, flavours: 'proprietary-only', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { architecture: 'Ampere', products: null, fromBranch: 515, toBranch: 610, flavours: 'either', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { architecture: 'Ampere', products: null, fromBranch: 615, toBranch: null, flavours: 'open-only', confirmed: false, sources: ['amazon-linux-2023'] },
  { architecture: 'Ada', products: null, fromBranch: null, toBranch: 610, flavours: 'either', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { architecture: 'Ada', products: null, fromBranch: 615, toBranch: null, flavours: 'open-only', confirmed: false, sources: ['amazon-linux-2023'] },
  { architecture: 'Hopper', products: null, fromBranch: null, toBranch: 610, flavours: 'either', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { architecture: 'Hopper', products: null, fromBranch: 615, toBranch: null, flavours: 'open-only', confirmed: false, sources: ['amazon-linux-2023'] },
  { architecture: 'Hopper', products: ['GH200'], fromBranch: null, toBranch: null, flavours: 'open-only', confirmed: true, sources: ['driver-kernel-modules'] },
  { architecture: 'Blackwell', products: null, fromBranch: 570, toBranch: null, flavours: 'open-only', confirmed: true, sources: ['driver-kernel-modules'] },
  { architecture: 'Rubin', products: null, fromBranch: 615, toBranch: null, flavours: 'open-only', confirmed: false, sources: ['amazon-linux-2023'] },
];
