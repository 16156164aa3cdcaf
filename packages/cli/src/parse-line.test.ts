import { describe, expect, it } from 'vitest';
import { judge } from './commands/judge-command.ts';
import { parseLine } from './parse-line.ts';

describe('a word that begins with a dash', () => {
  it.each([
    ['a ticket of several lines', '- H100 PCIe\n- 570.211.01'],
    ['a sentence', '-> torch 2.9.1 on an H100'],
    ['a dash and a line break', '-\nH100'],
    ['two dashes and a space', '-- H100'],
    ['a negative number', '-12'],
  ])('is a text where it is %s', async (_, word) => {
    expect((await parseLine(judge, [], [word])).positionals).toEqual([word]);
  });

  it.each([['--nope'], ['-x'], ['--nope=a b']])('is a flag where it is %s', async (word) => {
    await expect(parseLine(judge, [], [word])).rejects.toThrow('has no flag');
  });

  it('is a value as it was typed', async () => {
    expect((await parseLine(judge, [], ['--gpu=- H100', '--driver', '550.54.15'])).flags).toMatchObject({
      gpu: '- H100',
      driver: '550.54.15',
    });
  });
});
