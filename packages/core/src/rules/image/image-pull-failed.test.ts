import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { imagePullFailed } from './image-pull-failed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely on the state alone', 'fault likely', 'train-0   0/1     ImagePullBackOff   0          12m'],
  [
    'fault proved without access',
    'fault proved',
    'Error response from daemon: pull access denied for corp/train, repository does not exist or may require docker login',
  ],
  [
    'silent when a model cannot be fetched',
    'silent',
    'requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://huggingface.co/x',
  ],
  [
    'enroot has no right to an image',
    'fault proved',
    '[ERROR] URL https://nvcr.io/proxy_auth?scope=repository:acme/t:pull returned error code: 401 Unauthorized',
  ],
];

describe('image/image-pull-failed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(imagePullFailed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
