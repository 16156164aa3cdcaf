import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { imageRuntimes, imageScenes, sceneOnHost } from './scenes.ts';

/** Kind of libcuda and who put it in front, for each runtime. */
function got(id: string, driver: string, gpu = 'H100'): readonly string[] {
  return sceneOnHost(id, { driver, gpu }, defaultKnowledge)!.map(
    ({ libcuda, compat, answer }) => `${libcuda.kind ?? 'unknown'} ${compat.by ?? '-'} ${answer}`,
  );
}

describe('the libcuda that a container ends up with', () => {
  it('is that of the host where the image brings none, and none where nothing is injected', () => {
    expect(got('none', '570.124.06')).toEqual([...Array<string>(5).fill('host - runs'), 'none - does-not-run']);
  });

  it('is the compat library where the driver is older and the toolkit puts it in front', () => {
    expect(got('compat', '535.183.01').slice(1, 5)).toEqual([
      'compat ldconfig runs',
      'compat hook runs',
      'compat hook runs',
      'compat major runs',
    ]);
    expect(got('compat', '570.124.06').slice(0, 5)).toEqual(Array<string>(5).fill('host - runs'));
  });

  it('is a compat library that does not fit where the image forces it', () => {
    expect(got('compat-in-path', '570.124.06')[0]).toBe('compat LD_LIBRARY_PATH does-not-run');
    expect(got('compat', '535.183.01', 'RTX 4090')[3]).toContain('does-not-run');
  });

  it('is a stub where the image puts one in front', () => {
    expect(got('stub', '570.124.06')[0]).toBe('stub - does-not-run');
  });

  it('is computed for every image and runtime', () => {
    for (const { id } of imageScenes) expect(got(id, '550.90.07')).toHaveLength(imageRuntimes.length);
    expect(sceneOnHost('another', {}, defaultKnowledge)).toBeNull();
  });
});
