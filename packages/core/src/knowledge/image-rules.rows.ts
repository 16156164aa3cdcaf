import type { ImageRuleRow } from './images.types.ts';

/** How NVIDIA_REQUIRE_CUDA is written, checked and misread. */
export const imageRules: readonly ImageRuleRow[] = [
  { id: 'or-and', what: 'Inside the value a space means or, a comma means and. Several NVIDIA_REQUIRE_ variables must all hold.', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'terms', what: 'cuda is held against the CUDA version of the host driver, driver against its version, brand against the brand of the GPU, arch against its compute capability. Compat libraries in the image do not count, which is why older branches are named one by one.', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'message', what: 'A check that fails prints "unsatisfied condition: cuda>=X.Y, please update your driver to a newer version, or use an earlier cuda container".', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'disable', what: 'NVIDIA_DISABLE_REQUIRE=1 or true skips the check.', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'modes', what: 'Legacy mode checks everything; CSV mode (Jetson) checks cuda and arch; cdi and jit-cdi check nothing, and auto mode picks jit-cdi since toolkit 1.18.0. There an unmet requirement shows only later, in the program.', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'legacy-image', what: 'An image with CUDA_VERSION and no NVIDIA_REQUIRE_CUDA counts as a legacy image: cuda>= that version is implied.', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'unknown-terms', what: 'A property that is not known is passed over. NVIDIA_REQUIRE_JETPACK variables are not part of the check.', confirmed: true, sources: ['container-toolkit-constraints', 'container-toolkit-source'] },
  { id: 'brands', what: 'Before 11.5.2 only the brand tesla is named; from there to 12.4.1 GeForce, Quadro, RTX and TITAN brands as well; from 12.5 GeForce and TITAN are gone and the virtual and cloud brands come in.', confirmed: true, sources: ['cuda-dockerfiles-mirror'] },
  { id: 'arm-short', what: 'arm64 images before 12.4, and most ppc64le images, carry only cuda>=X.Y.', confirmed: true, sources: ['cuda-dockerfiles-mirror'] },
  { id: 'check-is-not-proof', what: 'Passing the check proves little: a 535 host passes the string of 13.2 by its brand term, and works only with compat libraries on a GPU of an allowed class.', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-forward-compat'] },
  { id: 'missing-branch', what: 'A branch that is not named fails although minor version compatibility would carry it: 545 and 555 with a 12.6 image, for one.', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-minor-version-compat'] },
  { id: 'base-contents', what: 'nvidia/cuda images for amd64 install the cuda-compat package of their version; for 13.x the lists differ by architecture.', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { id: 'framework-images', what: 'NGC framework images were seen with NVIDIA_REQUIRE_CUDA=cuda>=9.0 alone, so the start check lets every host pass.', confirmed: false, sources: ['rapids-deployment'] },
];
